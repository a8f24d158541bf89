import LullEngine

/// "A leaked connection must not keep a program awake for ever", nor anything else that no thread waits for:
/// a command that is observed again and again and could sleep by the kernel's own account does so in bounded
/// time.
final class NothingKeepsAwake: Rule {
  static let name = "nothing-keeps-awake"
  private(set) var sightings = 0
  /// The moment since which nothing but observations has happened to a program that could sleep.
  private var calm: [AppID: Moment] = [:]
  /// False for an observation that was asked for by a freeze which is over.
  private var isAsked = false

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    isAsked = false
    switch event {
    case .observed(let app, let ticket, let observation):
      if case .freezing(ticket, _)? = ledger[app]?.hold { isAsked = true }
      if observation.isDisturbed { calm[app] = nil }
    case .looked(let app, _, let look): if look.activity != .waits { calm[app] = nil }
    case .frozen: break
    case .stoodStill(let time): calm = calm.mapValues { $0 + time }
    default: if let app = ledger.input.app { calm[app] = nil }
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .freeze, .watch, .thaw, .note(_, .freezeRefused), .note(_, .trialFrozen): break
    default: if let app = effect.app { calm[app] = nil }
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let seen = step.activity, seen.worksSince != nil { calm[seen.app] = nil }
    guard isAsked, let seen = step.looked, let record = ledger[seen.app] else { return }
    guard seen.holds == nil, seen.canWake || record.isForSound, seen.isWatchable, seen.query == nil else {
      return calm[seen.app] = nil
    }
    let since = calm[seen.app] ?? ledger.now
    calm[seen.app] = since
    guard record.hold == .running else { return sightings += 1 }
    let policy = ledger.policy
    let bound = policy.longestNap + policy.sessionQuiet + policy.hopelessRetry + ledger.lateness.scaled(by: 4)
    let waited = ledger.now - since
    try require(waited <= bound, "\(seen.app) could sleep since \(waited.seconds) s and is kept awake")
  }
}

extension Observation {
  /// True when something came between that the kernel's account of the program does not have.
  fileprivate var isDisturbed: Bool {
    obstacle != nil || signalled != nil || isAsking || audioDevice != nil || missingPort != nil
      || threads.contains { $0.wait == .works }
  }
}
