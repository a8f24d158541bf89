import LullEngine
import TestSupport
import Testing

/// A simulation that never comes to a place proves nothing about it.
@Suite(.bounded(seconds: 600)) struct SightingTests {
  /// The sightings of one world, by their kind alone.
  private final class Sightings {
    private(set) var kinds: Set<String> = []

    func see(_ input: Input, answer: Engine.Answer?, effects: [Effect]) {
      switch input {
      case .event(let event): kinds.insert("event " + kind(event))
      case .request(let request): kinds.insert("request " + kind(request))
      }
      if case .refused(let refusal) = answer { kinds.insert("refused " + kind(refusal)) }
      for effect in effects {
        switch effect {
        case .note(_, .freezeRefused(let why, _)): kinds.insert("busy " + why.rawValue)
        case .note(_, let note): kinds.insert("note " + kind(note))
        case .kill(_, let reason): kinds.insert("kill " + reason.rawValue)
        case .woke(_, let wake, _): kinds.insert("woke " + wake.reason.rawValue)
        case .deliver(_, let message, _): kinds.insert("deliver " + message.rawValue)
        default: kinds.insert("effect " + kind(effect))
        }
      }
    }

    private func kind(_ value: Any) -> String { String("\(value)".prefix { $0 != "(" }) }
  }

  @Test func `the worlds come to every event, effect, reason and refusal, and to what each rule is about`() {
    var worlds: [String: Int] = [:]
    var idle = Set(Referee.allRules.map { type(of: $0).name })
    for seed in 1...80 as ClosedRange<UInt64> {
      let (rules, sightings) = (Referee.allRules, Sightings())
      let run = Run(seed: seed, steps: 2_500, rules: rules)
      run.world.witness = sightings.see
      #expect(run.failure() == nil)
      for rule in rules where rule.sightings > 0 { idle.remove(type(of: rule).name) }
      for kind in sightings.kinds { worlds[kind, default: 0] += 1 }
    }
    // The random worlds do not leave the same bytes unread again and again: hand-written traces do.
    #expect(idle.subtracting(["unread-rests"]).isEmpty)
    // A place that one world alone comes to is lost with the next change of the worlds.
    let rare = expected.filter { worlds[$0, default: 0] < 2 }.map { "\($0): \(worlds[$0, default: 0])" }
    #expect(rare.isEmpty)
  }

  private var expected: Set<String> {
    let events = [
      "leave", "exited", "did", "done", "fetched", "looked", "observed", "frozen", "freezeRefused", "ready",
      "childEnded", "ending", "signalled", "unfrozen", "pingAnswered", "lineLost", "tick", "wallClock",
      "sound", "audibility", "routeChanged", "surrounding", "reconnect", "compacted", "lockAwaited",
      "signalDue", "pressure", "sizes", "linesWait", "linesReady", "linesTaken", "traced",
    ]
    let requests = [
      "register", "adopt", "hold", "release", "keepAlive", "fetch", "push", "announce", "beginTask",
      "endTask", "remaining", "present", "schedule", "cancel", "transition",
      "answer", "lineFound", "openSession", "endSession", "wakeIn",
      "open", "answerAtLaunch", "admit", "uninstall", "launchable", "forceQuit", "launch", "launchFailed",
      "purge", "permitRecording",
    ]
    let effects = [
      "freeze", "watch", "thaw", "answerPing", "runKeepAlive", "runFetch", "push", "expire", "terminate",
      "show", "withdraw", "receive", "action", "forget", "keepPathsOpen",
      "compact", "checkLocks", "checkSignals", "weigh",
      "exempt", "order",
      "interruption", "route", "changed", "open", "record", "drop", "launch", "giveUpLaunch",
      "recordInstalled", "recordPermission",
      "measure",
      "warnMemory", "restPressure", "keepLines",
    ]
    let notes = [
      "registered", "state", "frozen", "freezeTakenBack", "woke", "wakeDelayed", "leaseEnded", "lineHeld",
      "lineReleased", "lineLost", "pingAnswered", "keepAliveSet", "keepAliveRan", "keepAliveDue",
      "fetchSet", "fetchRan", "errandEnded", "fetchDue", "pushTold",
      "compacted", "taskBegan", "taskEnded", "taskExpired", "notificationShown",
      "notificationScheduled", "notificationAnswered", "overBudget", "trialFrozen", "trialFailed", "killed",
      "exited", "left", "sessionOpened", "sessionEnded", "soundBegan", "soundEnded", "interrupted",
      "linksLost", "startsAgain", "pressure", "pressureStays", "pressureRelieved", "purged",
      "limitStands", "accessories", "recordingPermitted",
    ]
    let refusals = [
      "nameInUse", "noSuchLine", "noSuchTask", "noSuchNotification", "noSuchAction", "keepAliveTooShort",
      "tooManyPrograms", "tooManyLines", "tooManyTasks", "tooManyNotifications", "noBackgroundTime",
      "wrongMode", "busy", "gone", "repeatTooShort", "noSuchSession", "tooManySessions", "isUnmanaged",
      "programEnded", "wasQuit", "cannotComeBack", "callRings", "crashes",
      "recordingDenied",
    ]
    return Set(
      events.map { "event " + $0 } + requests.map { "request " + $0 } + effects.map { "effect " + $0 }
        + notes.map { "note " + $0 }
        + refusals.map { "refused " + $0 } + KillReason.allCases.map { "kill " + $0.rawValue }
        + FreezeRefusal.allCases.filter { $0 != .stopped }.map { "busy " + $0.rawValue }
        + WakeReason.allCases.map { "woke " + $0.rawValue }
        + DelegateMessage.allCases.map { "deliver " + $0.rawValue })
  }
}
