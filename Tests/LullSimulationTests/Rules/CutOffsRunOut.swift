import LullEngine

/// "What begins anew after each thaw runs out once": after the wake for such a time-out a command sleeps
/// again only when it has been awake for all of it, or waits for another one.
final class CutOffsRunOut: Rule {
  static let name = "cut-offs-run-out"
  private(set) var sightings = 0
  private struct Sleep {
    let anew: [Interval]
    let begin: Moment
  }
  private var sleeps: [AppID: Sleep] = [:]
  private var woken: [AppID: (cut: [Interval], since: Moment)] = [:]

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    if case .stoodStill(let time) = event { woken = woken.mapValues { ($0.cut, $0.since + time) } }
    switch (event, ledger.request) {
    case (.leave(let app), _), (_, .transition(let app, _)), (_, .adopt(let app, _)): woken[app] = nil
    default: break
    }
    guard case .frozen(let app, let ticket) = event, let record = ledger[app], record.isStaying,
      case .freezing(ticket, _) = record.hold
    else { return }
    sleeps[app] = Sleep(anew: record.anew, begin: ledger.now)
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .note(let app?, .woke(let reason, _)):
      let sleep = sleeps[app] ?? Sleep(anew: [], begin: ledger.now)
      let cut = sleep.anew.filter { reason == .timer && sleep.begin + $0 <= ledger.now }
      woken[app] = cut.isEmpty ? nil : (cut, ledger.now)
    case .watch(let app, _, _):
      guard let record = ledger[app], let (cut, since) = woken[app] else { return }
      for timeOut in record.anew where cut.contains(timeOut) {
        let time = ledger.now - since
        try require(time >= timeOut, "\(app): \(timeOut.seconds) s are cut off after \(time.seconds) s")
        sightings += 1
      }
      woken[app] = nil
    case .forget(let app): (sleeps[app], woken[app]) = (nil, nil)
    default: break
    }
  }
}
