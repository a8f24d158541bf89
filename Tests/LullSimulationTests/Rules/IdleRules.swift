import LullEngine

/// "A program may sleep while every thread of it stands in a wait whose condition does not hold": the
/// condition of a thread's wait is false, and what a napping thread may read has been left alone for long.
final class ConditionsFalse: Rule {
  static let name = "conditions-false"
  private(set) var sightings = 0

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let kernel = step.kernel, ledger[kernel.app]?.hold == .frozen else { return }
    sightings += 1
    try require(
      kernel.holds == nil, "\(kernel.app) sleeps with something on \(String(describing: kernel.holds))")
  }
}

/// "And at least one of these conditions can come true from outside": eventfds, pipes with both ends inside
/// and connections that have ended wake nobody. What is run for its sound alone needs nothing outside.
final class WakeableOnly: Rule {
  static let name = "wakeable-only"
  private(set) var sightings = 0

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let kernel = step.kernel, let record = ledger[kernel.app], record.hold == .frozen else { return }
    sightings += 1
    try require(
      kernel.canWake || record.needsNothing, "\(kernel.app) sleeps and nothing outside can wake it")
  }
}

/// "Conditions that nobody can watch forbid sleep": a shared futex, System V, file locks, direct descriptors.
final class WatchableOnly: Rule {
  static let name = "watchable-only"
  private(set) var sightings = 0

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let kernel = step.kernel, ledger[kernel.app]?.hold == .frozen else { return }
    sightings += 1
    try require(kernel.isWatchable, "\(kernel.app) sleeps in a wait that nobody can watch")
  }
}

/// "While a UDP socket is new and a thread waits with a time-out up to about 30 s, that time-out must run out
/// once": the answer may be lost, and a sleeper does not ask again.
final class QueriesRepeated: Rule {
  static let name = "queries-repeated"
  private(set) var sightings = 0

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let kernel = step.kernel, ledger[kernel.app]?.hold == .frozen else { return }
    sightings += 1
    try require(
      kernel.query == nil,
      "\(kernel.app) sleeps and its query on \(String(describing: kernel.query)) may be lost")
  }
}

/// "Who has received and not yet answered lets its running time-out of up to 2 s run out once": a server that
/// answers at its own tick does not sleep before that tick.
final class AnswersInTime: Rule {
  static let name = "answers-in-time"
  private(set) var sightings = 0

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let kernel = step.kernel, ledger[kernel.app]?.hold == .frozen else { return }
    if kernel.hasAnswered { sightings += 1 }
    try require(
      kernel.unanswered == nil,
      "\(kernel.app) sleeps before its answer on \(String(describing: kernel.unanswered))")
  }
}

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

/// "A call that a freeze would cut short is looked for before the freeze and forbids it." This holds for
/// every program, also for one that was told to sleep.
final class CallsGoOn: Rule {
  static let name = "calls-go-on"
  private(set) var sightings = 0
  private var isAsked = false

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    isAsked = ledger.isLook(event)
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard isAsked, let seen = step.activity, seen.isInCall else { return }
    sightings += 1
    try require(ledger[seen.app]?.hold == .running, "\(seen.app) is frozen in the middle of a call")
  }
}

extension Ledger {
  /// True for a look that the freeze waits for.
  func isLook(_ event: Event?) -> Bool {
    guard case .looked(let app, let ticket, _) = event, case .freezing(ticket, _)? = self[app]?.hold else {
      return false
    }
    return true
  }
}

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
    guard seen.holds == nil, seen.canWake || record.needsNothing, seen.isWatchable, seen.query == nil else {
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
