import LullEngine

/// "Requests during a transition change the target; the transition runs to its end, then the opposite one
/// starts." A program between two messages is where it was last asked to be; a wake that was granted wakes.
final class CommandsObeyed: Rule {
  static let name = "commands-obeyed"
  private var sleeper: AppID?
  private var wasWoken = false

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    sleeper = nil
    wasWoken = false
    guard case .transition(let app, .wake) = ledger.request, let record = ledger[app], record.isStaying else {
      return
    }
    if record.state == .background || record.state == .suspended { sleeper = app }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .woke(let app, let wake, _) = effect, app == sleeper else { return }
    if wake.reason == .operator { wasWoken = true }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let sleeper { try require(wasWoken, "\(sleeper) was to be woken and was not") }
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isStaying, record.isLaunched, record.message == nil
      else {
        continue
      }
      let isThere =
        switch record.target {
        case .foreground where ledger.isLocked && record.registration.speaks: true
        // Behind a call it is inactive there.
        case .foreground: record.state == .active || record.registration.speaks && record.state == .inactive
        case .background: record.state == .background || record.state == .suspended
        }
      try require(isThere, "\(snapshot.id) is to be in the \(record.target) and is \(record.state)")
    }
  }
}

/// "Every effect whose answer comes later carries a ticket and a stale answer is ignored". No ticket is used
/// twice. A keep-alive has another ticket than the wake for it, or the `done` to that wake would end the
/// keep-alive.
final class TicketsGrow: Rule {
  static let name = "tickets-grow"
  private var last = Ticket(0)

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .freeze(_, let ticket), .deliver(_, _, let ticket), .woke(_, _, let ticket),
      .runKeepAlive(_, let ticket), .runFetch(_, let ticket), .action(_, _, _, let ticket),
      .open(_, _, let ticket), .push(_, _, let ticket), .measure(_, let ticket):
      try take(ticket)
    default: break
    }
  }

  private func take(_ ticket: Ticket) throws(Violation) {
    try require(ticket > last, "\(ticket) after \(last)")
    last = ticket
  }
}

/// "The program is not managed any more; its id will not be used again." No effect names a program that was
/// forgotten, no effect reaches a program that was killed, and an id is given out once.
final class KnownPrograms: Rule {
  static let name = "known-programs"

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    guard case .registered(let app, _) = answer, case .register = ledger.request else { return }
    try require(!ledger.wasGivenOut(app), "\(app) is given out twice")
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard let app = effect.app else { return }
    guard let record = ledger[app] else {
      throw Violation(rule: Self.name, what: "\(effect) names a program that is not there")
    }
    guard record.isKilled else { return }
    switch effect {
    case .forget, .note, .thaw: break
    default: try require(false, "\(app) was killed and gets \(effect)")
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      try require(ledger[snapshot.id] != nil, "\(snapshot.id) is shown and not there")
    }
    guard step.isComplete else { return }
    let known = ledger.records.count { $0 != nil }
    try require(known == step.snapshots.count, "\(step.snapshots.count) programs shown, \(known) are there")
  }
}

/// "state, leases, lines, last wake, keep-alive, time asleep, wakes": the output of `status` is what
/// happened.
final class ViewsAgree: Rule {
  static let name = "views-agree"

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id] else { continue }
      try compare(snapshot, with: record, in: ledger)
    }
  }

  private func compare(_ shown: Snapshot, with record: Record, in ledger: Ledger) throws(Violation) {
    let (id, now) = (shown.id, ledger.now)
    try require(shown.state == record.state, "\(id) is \(record.state) and shows \(shown.state)")
    let isFreezing = if case .freezing = record.hold { true } else { false }
    try require(shown.isFreezing == isFreezing, "\(id): freezing is \(isFreezing), not \(shown.isFreezing)")
    try require(
      (shown.state == .suspended) == (record.hold == .frozen),
      "\(id) shows \(shown.state) and is \(record.hold)")
    if shown.state == .suspended, record.isStaying {
      try require(shown.leases.isEmpty, "\(id) sleeps with \(shown.leases)")
    }
    try require(shown.tasks == record.tasks.map(\.id), "\(id) shows \(shown.tasks)")
    try require(shown.lines == record.lines.map(\.id), "\(id) shows \(shown.lines)")
    try require(shown.wakes == record.wakeCount, "\(id): \(record.wakeCount) wakes, not \(shown.wakes)")
    let asleep = record.asleep + (record.asleepSince.map { now - $0 } ?? .zero)
    try require(shown.asleep == asleep, "\(id) slept \(asleep.seconds) s and shows \(shown.asleep.seconds) s")
    try require(
      shown.asleep + shown.awake == now - record.registeredAt, "\(id): its times do not add up to its life")
    guard record.isStaying else { return }
    let window = record.opens(ledger.policy).flatMap { opens in
      record.due(ledger.policy).map { Snapshot.Window(opens: opens, due: $0) }
    }
    try require(
      shown.keepAlive == window,
      "\(id): its window is \(String(describing: window)), not \(String(describing: shown.keepAlive))")
  }
}

/// Behind the lock, and while the machine is about to sleep, no program is active. Behind the lock a program
/// is in the background, unless it has sound or ends in place of a sleep. A program in the foreground is
/// active unless these or a call are before it.
final class LockObeyed: Rule {
  static let name = "lock-obeyed"
  private(set) var sightings = 0

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .deliver(let app, .didBecomeActive, _) = effect else { return }
    try require(!ledger.isDark, "\(app) becomes active behind the lock")
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    let mayCall = ledger.records.contains { $0?.sounds.isEmpty == false }
    for case let record? in ledger.records {
      guard record.registration.speaks, record.isLaunched, record.isStaying, record.message == nil else {
        continue
      }
      if ledger.isDark {
        if ledger.isLocked, record.target == .foreground { sightings += 1 }
        try require(record.state != .active, "\(record.id) is active behind the lock")
        let isBehind = record.state == .background || record.state == .suspended
        try require(
          isBehind || !ledger.goesBehindLock(record) || mayHaveSound(record.id, step),
          "\(record.id) stays before the lock")
      } else if !mayCall {
        try require(record.state != .inactive, "\(record.id) is inactive, and nothing is before it")
      }
    }
  }
}

extension LockObeyed {
  /// The hangover lasts beyond the sound. Not every step shows every program.
  private func mayHaveSound(_ app: AppID, _ step: Step) -> Bool {
    guard let leases = step.snapshots.first(where: { $0.id == app })?.leases else { return true }
    return leases.contains { [.audible, .recording, .call].contains($0.kind) }
  }
}

/// A link is told to its program once, in the order of the links, as soon as its launch and its transition
/// are over.
final class LinksTold: Rule {
  static let name = "links-told"
  private(set) var sightings = 0
  private var untold: [AppID: [String]] = [:]
  /// The links of programs that are on their way, without that for which each is started.
  private var pending: [String: [String]] = [:]
  private var names: [AppID: String] = [:]

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    switch (ledger.request, answer) {
    case (.open(let app, let url), .done): untold[app, default: []].append(url)
    case (.launch(let name, let launch), .done): pending[name, default: []] += [launch.url].compactMap(\.self)
    case (.launchFailed(let name, _), _), (.forceQuit(let name), _),
      (.admit(let name, .quit, _), .done):
      pending[name] = nil
    case (.register(let registration), .registered(let app, _)) where registration.speaks:
      untold[app] = pending.removeValue(forKey: registration.name)
    case (.adopt(let app, let registration), .registered):
      untold[app, default: []] += pending.removeValue(forKey: names[app] ?? registration.name) ?? []
    default: break
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .open(let app, let url, _):
      guard let record = ledger[app] else { return }
      try require(untold[app]?.first == url, "\(app) is told of a link that nobody opened")
      try require(record.isLaunched, "\(app) is told of a link before it is launched")
      try require(record.message == nil, "\(app) is told of a link within a transition")
      try require(!record.isHeld, "\(app) is told of a link while it cannot run")
      untold[app]?.removeFirst()
      sightings += 1
    case .launch(let name, let launch):
      guard let url = launch.url else { return }
      guard pending[name]?.first == url else {
        throw Violation(rule: Self.name, what: "\(name) is started for a link that nobody opened")
      }
      pending[name]?.removeFirst()
    case .giveUpLaunch(let name), .note(_, .linksLost(let name, _)): pending[name] = nil
    case .note(let app?, .registered(let name)) where ledger[app]?.registration.isUnmanaged != true:
      names[app] = name
    case .note(let app?, .left): names[app].map { pending[$0] = nil }
    case .forget(let app): (untold[app], names[app]) = (nil, nil)
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isStaying, record.isLaunched, record.message == nil,
        record.registration.speaks
      else { continue }
      try require(untold[record.id]?.isEmpty != false, "\(record.id) is not told of a link")
    }
  }
}
