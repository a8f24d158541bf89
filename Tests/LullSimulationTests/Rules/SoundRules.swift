import LullEngine

/// "A program stays resident while what it plays can be heard", in the start grace, while it records and in a
/// call: it is neither asked to sleep nor left asleep. The half millisecond of a command's trial cannot be
/// heard.
final class SoundKeepsAwake: Rule {
  static let name = "sound-keeps-awake"
  private(set) var sightings = 0
  /// The program whose sound began while it was on its way to sleep, or slept.
  private var isSudden: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    isSudden = nil
    switch event {
    case .sound(let app, _, _), .audibility(let app, _, _): if ledger[app]?.isHeld == true { isSudden = app }
    default: break
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .freeze(let app, _) = effect, let record = ledger[app] else { return }
    try check(record, "asked to sleep", in: ledger)
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let isSudden, let record = ledger[isSudden], !record.isHeld, record.soundHolds(at: ledger.now) {
      sightings += 1
    }
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isHeld else { continue }
      try check(record, "\(record.hold)", in: ledger)
    }
  }

  private func check(_ record: Record, _ what: String, in ledger: Ledger) throws(Violation) {
    guard record.soundHolds(at: ledger.now) else { return }
    try require(false, "\(record.id) is \(what) with \(record.soundLeases(at: ledger.now))")
  }
}

/// "No trick keeps it awake": an audible lease in the background has a cause. The program was reported as
/// sounding, or is in the hangover that was reported, or one of its sessions plays in a start grace; and a
/// grace without audible sound doubles the time until the next one.
final class SilenceSleeps: Rule {
  static let name = "silence-sleeps"
  private(set) var sightings = 0
  private var isHeard: [AudioScope: Set<AppID>] = [:]
  /// The end of the hangover.
  private var fades: [AppID: Moment] = [:]
  /// The last moment in the foreground or with audible sound: a grace that began before does not count.
  private var lastFree: [AppID: Moment] = [:]
  /// The end of the last suspension. A grace stands still, and the time until the next one does not: the rest
  /// of one that began before is no new one.
  private var stoodUntil: Moment?
  /// The moment since which only a grace explains the lease of a program, and the time after which there may
  /// be another.
  private var graces: [AppID: (since: Moment, period: Interval)] = [:]

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    if case .stoodStill(let time) = event {
      fades = fades.mapValues { $0 + time }
      (stoodUntil, graces) = (ledger.now, [:])
    }
    guard case .audibility(let app, let scope, let report) = event, let record = ledger[app] else { return }
    note(record, ledger)
    switch report {
    case .sounding:
      isHeard[scope, default: []].insert(app)
      (graces[app], lastFree[app]) = (nil, ledger.now)
    case .quiet(let rest):
      // The program was sounding until now, whatever grace began meanwhile.
      if isHeard[scope]?.remove(app) != nil { (graces[app], lastFree[app]) = (nil, ledger.now) }
      if scope == .live { fades[app] = ledger.now + rest }
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isStaying else { continue }
      note(record, ledger)
      let isHeld = snapshot.leases.contains { $0.kind == .audible }
      if isHeld, record.isBehind, !isExplained(record, ledger) { try checkGrace(record, ledger) }
      if step.isTick, !isHeld, record.isHeld, !record.sounds.isEmpty { sightings += 1 }
    }
  }

  private func note(_ record: Record, _ ledger: Ledger) {
    if record.isForeground { lastFree[record.id] = ledger.now }
  }

  private func isExplained(_ record: Record, _ ledger: Ledger) -> Bool {
    let isLive = record.sounds.contains { $0.isLive && record.hasRight($0) }
    guard isLive || record.lastCategory.map(record.hasRight) ?? false else { return false }
    return isHeard[.live]?.contains(record.id) == true || fades[record.id].map { $0 > ledger.now } ?? false
  }

  private func checkGrace(_ record: Record, _ ledger: Ledger) throws(Violation) {
    let (now, rule) = (ledger.now, ledger.policy.audibility)
    try require(record.hasBegun, "\(record.id) is held awake by nothing that began")
    let seen = [lastFree[record.id], stoodUntil].compactMap(\.self).max()
    if let seen, now - seen < rule.startGrace { return }
    guard let last = graces[record.id] else { return graces[record.id] = (now, rule.startGracePeriod) }
    guard now - last.since >= rule.startGrace else { return }
    // The grace may have begun before, under audible sound.
    try require(
      now - last.since >= last.period - rule.startGrace,
      "\(record.id) is held awake by one grace after the other")
    graces[record.id] = (now, min(last.period.scaled(by: 2), rule.startGracePeriodMaximum))
  }
}

/// "Delivered once, in its latest state, at the thaw": a program that is awake knows what holds, and a
/// program that sleeps is told nothing. A session is told `began` and `ended` in turn; `began` is never told
/// twice without `ended`.
final class InterruptionsOnce: Rule {
  static let name = "interruptions-once"
  private(set) var sightings = 0

  private struct Knowledge {
    var isInterrupted = false
    var untold: Interruption?
    var wasTold = false
    var sleptThrough = false
  }
  private var known: [SessionID: Knowledge] = [:]

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .note(let app?, .interrupted(let session, let change)):
      var knowledge = known[session] ?? Knowledge()
      try require(
        knowledge.isInterrupted == (change != .began), "session \(session.number) is \(change) out of turn")
      knowledge.isInterrupted = change == .began
      knowledge.untold = change
      if ledger[app]?.isHeld == true { knowledge.sleptThrough = true }
      known[session] = knowledge
    case .interruption(let app, let session, let change):
      try told(app, session: session, change: change, in: ledger)
    case .woke(let app, _, _), .runKeepAlive(let app, _): try check(ledger[app])
    case .note(_, .sessionEnded(let session)): known[session] = nil
    default: break
    }
  }

  private func told(_ app: AppID, session: SessionID, change: Interruption, in ledger: Ledger)
    throws(Violation)
  {
    try require(
      ledger[app]?.sounds.contains { $0.id == session } == true,
      "session \(session.number) is no session of \(app)")
    var knowledge = known[session] ?? Knowledge()
    try require(knowledge.untold == change, "\(app) is told \(change) and that is not the latest")
    try require(
      change != .began || !knowledge.wasTold, "\(app) is told twice that session \(session.number) began")
    knowledge.untold = nil
    knowledge.wasTold = change == .began
    if knowledge.sleptThrough { sightings += 1 }
    knowledge.sleptThrough = false
    known[session] = knowledge
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      if let record = ledger[snapshot.id], !record.isHeld { try check(record) }
    }
  }

  /// Checks that a program that is awake has been told, unless it knows already.
  private func check(_ record: Record?) throws(Violation) {
    for sound in record?.sounds ?? [] {
      guard let knowledge = known[sound.id], let untold = knowledge.untold else { continue }
      let isOldNews = untold == .began && knowledge.wasTold
      try require(isOldNews, "session \(sound.id.number) was not told of \(untold)")
    }
  }
}

/// "Shown under its own name, and never put to sleep": an unmanaged client is in the foreground for good, and
/// gone when it says goodbye.
final class UnmanagedRun: Rule {
  static let name = "unmanaged-run"
  private(set) var sightings = 0
  private var leaver: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    leaver = nil
    if case .leave(let app) = event, ledger[app]?.registration.isUnmanaged == true { leaver = app }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .freeze(let app, _), .deliver(let app, _, _), .terminate(let app), .woke(let app, _, _):
      try require(
        ledger[app]?.registration.isUnmanaged != true, "\(app) is an unmanaged client and gets \(effect)")
    case .forget(leaver): leaver = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let leaver { try require(false, "\(leaver) is an unmanaged client that left, and is still there") }
    for snapshot in step.snapshots where ledger[snapshot.id]?.registration.isUnmanaged == true {
      sightings += 1
      try require(snapshot.state == .active, "\(snapshot.id) is an unmanaged client and \(snapshot.state)")
    }
  }
}

/// A program in the background gets a smaller share of the machine, unless it plays, records or is in a call:
/// sound must not stutter.
final class WeightsFit: Rule {
  static let name = "weights-fit"
  /// The programs that play something which nobody hears.
  private(set) var sightings = 0
  private var weights: [AppID: ProgramWeight] = [:]

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .weigh(let app, let weight):
      try require(weights[app] ?? .full != weight, "\(app) gets the share that it has")
      weights[app] = weight
    case .forget(let app): weights[app] = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard ledger.policy.processes != nil else { return }
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isStaying, !record.registration.isUnmanaged else {
        continue
      }
      let isHeard = !record.soundLeases(at: ledger.now).isEmpty
      let plays = record.sounds.contains(where: \.isRunning)
      var due: ProgramWeight = record.isBehind && !isHeard && !plays ? .low : .full
      let isBounded = record.registration.settings.processorPercent != nil && !record.isHeld
      if due == .low, isBounded, snapshot.leases.isEmpty { due = .bounded }
      try require(weights[record.id] ?? .full == due, "\(record.id) should have its \(due) share")
      if record.isBehind, plays, !isHeard { sightings += 1 }
    }
  }
}
