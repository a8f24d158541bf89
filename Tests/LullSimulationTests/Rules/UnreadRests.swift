import LullEngine

/// "The same bytes still there, nothing read: the wait doubles." A program that says `done` and leaves unread
/// what is there is not frozen and thawed in a loop: within a second no more than the doubled waits allow.
final class UnreadRests: Rule {
  static let name = "unread-rests"
  private(set) var sightings = 0
  /// The freezes of each program that a line took back, with nothing else in between.
  private var takenBack: [AppID: [Moment]] = [:]

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    switch event {
    // The answer to a freeze that was taken back comes as well.
    case .ready, .done, .observed, .frozen, .tick: break
    default: if let app = ledger.input.app { takenBack[app] = nil }
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    if case .note(let app?, .frozen) = effect { takenBack[app] = nil }
    guard case .note(let app?, .freezeTakenBack) = effect, case .ready(app, _, _) = ledger.event else {
      return
    }
    let moments = takenBack[app, default: []].filter { ledger.now - $0 < .seconds(1) } + [ledger.now]
    takenBack[app] = moments
    if moments.count > 2 { sightings += 1 }
    let (first, longest) = (ledger.policy.freezeRetryFirst, ledger.policy.freezeRetryLast)
    var (most, waited) = (1, Interval.zero)
    while waited < .seconds(1), most <= moments.count {
      waited = waited + min(first.scaled(by: 1 << Int64(min(most - 1, 30))), longest)
      most += 1
    }
    try require(moments.count <= most, "\(app): \(moments.count) freezes within a second for the same bytes")
  }
}
