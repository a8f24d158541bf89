import LullEngine

/// "Installed programs are launched again at boot, after a crash (back-off), for a due keep-alive; never
/// after a force-quit." A few start at once, installed or not; no start is given up before its time, and none
/// is made beside another of its name. Every crash is followed by a stated wait, which doubles, and no
/// deadline comes after its end.
final class InstalledLaunches: Rule {
  static let name = "installed-launches"
  private(set) var sightings = 0

  private struct Known {
    var isQuit = false
    var app: AppID?
    var cameAt: Moment?
    var crashes = 0
    /// The end of the wait that was stated last, until the program is started.
    var waitsUntil: Moment?
    /// The moment at which the keep-alive of an ended program must run.
    var keepAliveDue: Moment?

    mutating func joins() { (waitsUntil, keepAliveDue) = (nil, nil) }
  }

  private var known: [String: Known] = [:]
  /// The programs that are being started, each since when.
  private var starting: [String: Moment] = [:]
  /// Those for which something has come on a kept line, and those of which a link was opened: they may be due
  /// before their wait is over.
  private var news: Set<String> = [], linked: Set<String> = []
  private var asked: Set<AppID> = []
  private var crash: String?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    crash = nil
    switch event {
    case .ending(let app): asked.insert(app)
    case .exited(let app, let status): exited(app, with: status, ledger)
    case .linesReady(let name), .linesWait(let name, .letGo): news.insert(name)
    default: break
    }
    switch ledger.request {
    case .uninstall(let name): known[name] = nil
    case .forceQuit(let name) where known[name] != nil:
      known[name] = Known(isQuit: true, app: known[name]?.app, cameAt: known[name]?.cameAt)
      starting[name] = nil
    case .launchFailed(let name, _): starting[name] = nil
    default: break
    }
  }

  private func exited(_ app: AppID, with status: ExitStatus, _ ledger: Ledger) {
    guard let record = ledger[app], let name = known.first(where: { $0.value.app == app })?.key else {
      return
    }
    let isBad = [.exited(1), .exited(2), .signaled(6), .signaled(9), .signaled(11), .unknown].contains(status)
    if isBad, record.isStaying, !asked.contains(app), known[name]?.isQuit == false { crash = name }
    if let due = record.due(ledger.policy), due > ledger.now, record.isStaying, record.isLaunched {
      known[name]?.keepAliveDue = due
    }
  }

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    switch (ledger.request, answer) {
    case (.admit(let name, let beginning, let past), .done) where known[name] == nil:
      let app = ledger.records.lazy.compactMap(\.self).first {
        $0.registration.name == name && !$0.registration.isUnmanaged
      }?.id
      if beginning == .quit { starting[name] = nil }
      let cameAt = past.cameAt.map { min($0, ledger.now) }
      known[name] = Known(isQuit: beginning == .quit, app: app, cameAt: cameAt, crashes: past.crashes)
    case (.launch(let name, let launch), .done):
      let isQuit = known[name]?.isQuit == true
      try require(launch.reason == .user || !isQuit, "\(name) is started after it was quit")
      if launch.reason == .user { known[name]?.crashes = 0 }
      if launch.post != nil { linked.insert(name) }
      known[name]?.isQuit = false
      known[name]?.joins()
    default: break
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .launch(let name, let launch): try launched(name, for: launch.reason, ledger)
    case .giveUpLaunch(let name):
      let age = starting[name].map { ledger.now - $0 } ?? .zero
      try require(age >= ledger.policy.launchTime, "the start of \(name) is given up after \(age.seconds) s")
      starting[name] = nil
    case .note(let app?, .registered(let name)) where ledger[app]?.registration.isUnmanaged != true:
      (starting[name], _, _) = (nil, news.remove(name), linked.remove(name))
      guard let old = known[name] else { return }
      known[name] = Known(app: app, cameAt: ledger.now, crashes: old.crashes)
    case .note(_, .startsAgain(let name, let crashes, let wait)):
      try stated(name, crashes: crashes, wait: wait, ledger)
    case .forget(let app):
      if let name = known.first(where: { $0.value.app == app })?.key { known[name]?.app = nil }
    default: break
    }
  }

  private func launched(_ name: String, for reason: LaunchReason, _ ledger: Ledger) throws(Violation) {
    let runs = ledger.records.contains {
      $0?.registration.name == name && $0?.registration.isUnmanaged == false
    }
    try require(starting[name] == nil && !runs, "\(name) is started twice")
    let isUrgent = [.user, .url, .notification, .push, .data].contains(reason)
    let most = isUrgent ? ledger.policy.launchesAtOnce : ledger.policy.startsAtOnce
    try require(starting.count < most, "\(name): \(starting.count) others are starting")
    sightings += 1
    starting[name] = ledger.now
    guard let program = known[name] else {
      return try require(isUrgent || reason == .crash && news.contains(name), "\(name) is not installed")
    }
    try require(!program.isQuit, "\(name) is started after it was quit")
    let isNeeded = reason == .keepalive || reason == .fetch || news.contains(name)
    let mayBeEarly =
      reason == .url || reason == .push && program.crashes < ledger.policy.crashesInRow
      || isNeeded && program.crashes < ledger.policy.crashesInRow
    try require(mayBeEarly || ledger.now >= program.waitsUntil ?? ledger.now, "\(name) does not wait")
    known[name]?.joins()
  }

  private func stated(_ name: String, crashes: Int, wait: Interval, _ ledger: Ledger) throws(Violation) {
    guard let program = known[name] else {
      throw Violation(rule: Self.name, what: "\(name) waits for its start and is not installed")
    }
    let policy = ledger.policy
    let isForgotten = crash != nil && program.cameAt.map { ledger.now - $0 >= policy.crashForgotten } ?? false
    let expected = (isForgotten ? 0 : program.crashes) + 1
    if crash == name { try require(crashes == expected, "\(name): crash \(crashes), not \(expected)") }
    let due = policy.crashWaitFirst.doubled(Int64(crashes) - 1, atMost: policy.crashWaitLast)
    try require(wait == due, "\(name): waits \(wait.seconds) s, not \(due.seconds) s")
    known[name]?.crashes = crashes
    known[name]?.waitsUntil = ledger.now + wait
    if crash == name { crash = nil }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let crash { try require(known[crash] == nil, "\(crash) crashed, and nothing follows") }
    // Whoever may run its keep-alive with another one is started in its turn.
    if step.effects.contains(where: \.mayLetOthersRun)
      || known.values.contains(where: { $0.keepAliveDue ?? .never <= ledger.now })
    {
      for name in known.keys { known[name]?.joins() }
    }
    let deadline = step.deadline ?? .never
    for (name, program) in known where !program.isQuit && starting[name] == nil && program.app == nil {
      guard !news.contains(name), !linked.contains(name) else { continue }
      let due = min(program.waitsUntil ?? .never, program.keepAliveDue ?? .never)
      guard due > ledger.now else { continue }
      try require(deadline <= due, "\(name) is to start at \(due), after which the deadline comes")
      let alarm = program.keepAliveDue ?? .never
      try require(
        alarm <= ledger.now || step.alarm ?? .never <= alarm, "the keep-alive of \(name) resumes no machine")
    }
  }
}

extension Effect {
  /// True for a keep-alive or a timer, with which others may run.
  fileprivate var mayLetOthersRun: Bool {
    switch self {
    case .runKeepAlive, .runFetch, .note(_, .keepAliveDue), .note(_, .fetchDue): true
    case .woke(_, let wake, _): wake.reason == .timer
    default: false
    }
  }
}
