import LullEngine
import LullSystem
import LullWire

/// The journal: what the engine notes, with the facts of the shell.
final class JournalFeature: Feature {
  let core: Core
  let kept: KeptFeature

  init(_ core: Core, _ kept: KeptFeature) { (self.core, self.kept) = (core, kept) }

  var checks: [DaemonCheckItem] {
    services.journalFile.takeProgress(journal)
    let failure = services.journalFile.failure
    return [
      DaemonCheckItem(
        "journal", failure == nil ? .yes : .limited, detail: failure ?? services.journalFile.path)
    ]
  }

  func write(_ note: Note, of id: AppID?) {
    var name = id.flatMap { program($0)?.name }
    name = note.subject ?? name
    // Its program may have ended.
    if name == nil, case .notificationShown(let id) = note { name = engine.program(showing: id) }
    var words = note.words
    if let program = id.flatMap({ program($0) }) { words.add(note, program: program, feature: self) }
    var entry = Journal.Entry(
      at: Clock.realtime(), program: name, what: words.what, cause: words.cause, line: words.line?.number,
      detail: words.detail)
    if Journal.Entry.ends.contains(words.what) { entry.process = id.flatMap { program($0)?.process } }
    if case .woke(_, .some) = note, let id {
      let facts = sources.wake(of: id)
      (entry.peer, entry.waitedMicroseconds) = (facts.peer, facts.waitedMicroseconds)
    }
    journal.note(entry)
    tellFollowers()
    guard let program = id.flatMap({ program($0) }), !program.isUnmanaged else { return }
    remember(note, of: program, at: host.seenOnWall)
  }

  private func remember(_ note: Note, of program: Program, at moment: Int64) {
    switch note {
    case .purged(let held, _): program.purged(byOperator: held == nil)
    case .killed(let reason): program.killed(for: reason)
    case .exited(let status):
      ledger.note(.ended(program.end(status, at: moment)))
    // A command that is no client any more goes on as a command.
    case .left where !program.isCommand && !program.isComingBack:
      ledger.note(.ended(program.end(.unknown, hasLeft: true, at: moment)))
    default: break
    }
  }

  func readJournal() {
    ledger.hearParents()
    services.journalFile.restore(journal, ends: ledger.ledger.ends.map(Journal.Entry.init(_:)))
  }

  func writeJournal() {
    services.journalFile.write(journal)
    services.systemdJournal.write(journal)
  }

  var hasJournalBacklog: Bool { services.journalFile.hasBacklog || services.systemdJournal.hasBacklog }

  func log(follow: Bool, last: Int?, _ filter: Journal.Filter, _ client: Client) -> Reply? {
    if let name = filter.program, engine.find(name: name) == nil, !journal.hasEntries(of: name) {
      return noSuchProgram(name)
    }
    control.follow(client, followed: .log, follows: follow)
    if follow { journal.follow() }
    let isBounded = filter.since == nil && !filter.boot
    let numbers = journal.numbers(last: last ?? (isBounded ? 100 : .max), filter)
    return answer(Report([.entries(numbers, filter)]), client)
  }
}

extension Note {
  /// The program of an entry that names it, because it is not managed or not yet.
  fileprivate var subject: String? {
    switch self {
    case .registered(let name), .keepAliveDue(let name), .startsAgain(let name, _, _),
      .linksLost(let name, _), .fetchDue(let name):
      name
    default: nil
    }
  }

  struct Words {
    let what: String
    var cause: String?
    var line: LineID?
    var detail: String?

    init(what: String, cause: String? = nil, line: LineID? = nil, detail: String? = nil) {
      (self.what, self.cause, self.line, self.detail) = (what, cause, line, detail)
    }

    init(_ what: String, cause: String? = nil, _ why: Explanation) {
      self.init(what: what, cause: cause, detail: why.line)
    }

    mutating func add(_ note: Note, program: Program, feature: JournalFeature) {
      switch note {
      case .freezeRefused(_, let why): detail = feature.detailText(why, of: program)
      case .woke(_, .some): detail = feature.sources.wake(of: program.id).text
      case .exited(let status): cause = program.endReason(status)
      // Whoever ends a program to start it again does not quit it.
      case .killed(.quit): cause = program.endReason(.unknown) ?? cause
      case .purged(let held, isAsked: true) where feature.kept.isKilledForItsLines(program):
        detail = Note.text(held, false)
      default: break
      }
    }
  }

  var words: Words {
    switch self {
    case .registered: Words(what: "registered")
    case .state(let state): Words(what: "state", detail: state.rawValue)
    case .frozen: Words(what: "frozen")
    case .freezeRefused(let why, _): Words(what: "freeze-refused", cause: why.rawValue)
    case .trialFrozen: Words(what: "trial-frozen")
    case .trialFailed: Words(what: "trial-failed")
    case .freezeTakenBack(let reason): Words(what: "freeze-taken-back", cause: reason.rawValue)
    case .woke(let reason, let line): Words(what: "woke", cause: reason.rawValue, line: line)
    case .wakeDelayed(let line, let interval):
      Words(what: "wake-delayed", line: line, detail: "\(interval.seconds) s")
    case .leaseEnded(let lease, let overrun):
      Words(what: "lease-ended", cause: overrun ? "limit" : nil, detail: lease.rawValue)
    case .lineHeld(let line, let text): Words(what: "line-held", line: line, detail: text)
    case .lineReleased(let line): Words(what: "line-released", line: line)
    case .lineLost(let line): Words(what: "line-lost", line: line)
    case .pingAnswered(let line): Words(what: "ping-answered", line: line)
    case .timerOverdue(let overdue, let floor):
      Words("timer-overdue", .init(.overdueAtEnd, limit: floor?.seconds, seconds: overdue.seconds))
    case .keepAliveSet(let timeout):
      Words(what: "keepalive-set", detail: timeout.map { "\($0.seconds) s" } ?? "cleared")
    case .keepAliveRan: Words(what: "keepalive-ran")
    case .taskBegan(let task): Words(what: "task-began", detail: "\(task.number)")
    case .taskEnded(let task): Words(what: "task-ended", detail: "\(task.number)")
    case .taskExpired(let task): Words(what: "task-expired", detail: "\(task.number)")
    case .notificationShown(let id): Words(what: Journal.Entry.notified, detail: "\(id.number)")
    case .notificationScheduled(let id): Words(what: Journal.Entry.scheduled, detail: "\(id.number)")
    case .notificationAnswered(let id, let action):
      Words(what: "notification-answered", cause: action, detail: "\(id.number)")
    case .sessionOpened(let id): Words(what: "session-opened", detail: "\(id.number)")
    case .sessionEnded(let id): Words(what: "session-ended", detail: "\(id.number)")
    case .soundBegan(let id): Words(what: "sound-began", detail: "\(id.number)")
    case .soundEnded(let id): Words(what: "sound-ended", detail: "\(id.number)")
    case .interrupted(let id, .began): Words(what: "interruption-began", detail: "\(id.number)")
    case .interrupted(let id, .ended(let shouldResume)):
      Words(
        what: "interruption-ended", cause: shouldResume ? "resume" : nil, detail: "\(id.number)")
    case .recordingPermitted(let permission): Words(what: "recording-\(permission.rawValue)")
    case .compacted(let before, let after):
      Words("compacted", .init(.residentFell, bytesBefore: before, bytesAfter: after))
    case .overBudget(let wakes): Words(what: "over-wake-budget", detail: "\(wakes) wakes")
    case .pressure(let level): Words(what: "memory-short", cause: level.rawValue)
    case .pressureStays(let level):
      Words(
        "memory-short", cause: level.rawValue,
        .init(level == .warning ? .sleepersUsedUp : .allUsedUp))
    case .pressureRelieved: Words(what: "memory-relieved")
    case .accessories(let devices):
      Words(
        what: "accessory",
        detail: devices.isEmpty ? nil : devices.map(\.description).joined(separator: " "))
    case .purged(let held, let isAsked): Words(what: Journal.Entry.purge, detail: Note.text(held, isAsked))
    case .killed(let reason): Words(what: "killed", cause: reason.rawValue)
    case .limitStands: Words(what: "limit-stands")
    case .exited(let status): Words(what: Journal.Entry.exited, detail: status.knownWords)
    case .gaveUp: Words(what: "gave-up")
    case .keepAliveDue: Words(what: "keepalive-due")
    case .fetchDue: Words(what: "fetch-due")
    case .fetchSet(let interval):
      Words(what: "fetch-set", detail: interval.map { "\($0.seconds) s" } ?? "cleared")
    case .fetchRan: Words(what: "fetch-ran")
    case .pushTold: Words(what: "push-told")
    case .errandEnded(let kind, let result, let time):
      Words(what: "\(kind.rawValue)-ended", cause: result?.rawValue, detail: "\(time.seconds) s")
    case .linksLost(_, let count):
      Words("launch-failed", .init(.linksLost, count: count))
    case .startsAgain(let name, let crashes, let wait):
      Words("starts-again", .init(.startsIn, name: name, count: crashes, seconds: wait.seconds))
    case .left: Words(what: Journal.Entry.left)
    }
  }
}
