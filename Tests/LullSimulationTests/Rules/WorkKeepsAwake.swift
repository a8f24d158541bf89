import LullEngine

/// "Who used the processor since the last look is at work, however short its naps." A command that has worked
/// without a pause since the last look that found its threads waiting, or since it was woken after that look,
/// is not frozen.
final class WorkKeepsAwake: Rule {
  static let name = "work-keeps-awake"
  private(set) var sightings = 0
  private var seenAt: [AppID: Moment] = [:]
  private var isAsked = false

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    isAsked = false
    if case .stoodStill = event { seenAt = [:] }
    guard case .looked(_, _, let look) = event, look.activity == .waits else { return }
    isAsked = ledger.isLook(event)
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .thaw(let app) = effect, ledger[app]?.hold == .frozen, seenAt[app] != nil else { return }
    seenAt[app] = ledger.now
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard isAsked, let seen = step.activity, let record = ledger[seen.app],
      record.registration.sleepsByItself
    else { return }
    let since = seenAt[seen.app]
    seenAt[seen.app] = ledger.now
    guard let since, let works = seen.worksSince, works <= since,
      ledger.now - since >= ledger.policy.workWindow
    else { return }
    sightings += 1
    try require(record.hold == .running, "\(seen.app) is frozen in its work")
  }
}
