package struct DaemonItem: DescribedItem {
  package static let itemKind = ItemKind.daemon

  package var pid: Int64 = 0
  package var version = ""
  package var clockRate = 1.0
  package var suspender = OpenWord(Vocabulary.Suspender.cgroup)
  package var restarts: Int64 = 0
  /// Notifications make no sound.
  package var isQuiet = false
  package var isLocked = false
  /// Nil while no lull-guard watches.
  package var guardPid: Int64?
  /// The moment at which the daemon was started first, in seconds since 1970.
  package var since: Double?
  package var startedBy: OpenWord<Vocabulary.Starter>?
  package var cgroupRoot: String?
  /// The time within which the service manager wants a sign of life, in seconds.
  package var watchdogSeconds: Double?

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.pid, .integer, value: &pid)
    try fields.needed(.version, .text, value: &version)
    try fields.needed(.clockRate, .decimal, value: &clockRate)
    try fields.needed(.suspender, .openWord(), value: &suspender)
    try fields.usual(.restarts, .integer(0), value: &restarts)
    try fields.flag(.quiet, &isQuiet)
    try fields.flag(.locked, &isLocked)
    try fields.optional(.guardPid, .integer, value: &guardPid)
    try fields.optional(.since, .decimal, value: &since)
    try fields.optional(.startedBy, .openWord(), value: &startedBy)
    try fields.optional(.cgroup, .text, value: &cgroupRoot)
    try fields.optional(.watchdog, .decimal, value: &watchdogSeconds)
  }
}

package struct DeviceItem: DescribedItem {
  package static let itemKind = ItemKind.device

  package var state = OpenWord(Vocabulary.DeviceState.closed)
  package var name: String?

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.state, .openWord(), value: &state)
    try fields.optional(.device, .text, value: &name)
  }
}

/// A word of `note`: docs/DEBUGGING.md says what each means, and `lull` has a sentence for each.
package enum HealthNote: String, CaseIterable, Sendable {
  case guardMissing = "guard-missing"
  case leftRunning = "left-running"
  case journalUnwritten = "journal-unwritten"
  case notThawed = "not-thawed"
  case stoppedBySignals = "stopped-by-signals"
  case trialFailed = "trial-failed"
  case soundCut = "sound-cut"
  case offloadUnanswered = "offload-unanswered"
  case probeRefused = "probe-refused"
  case linesKept = "lines-kept"
  case withoutLines = "without-lines"
  case guardThawed = "guard-thawed"
  case traced
  /// Somebody else has frozen it, or a cgroup above it.
  case frozenElsewhere = "frozen-elsewhere"
  case pause
  case crashed
  case notStarted = "not-started"
  case unmanaged
  case foreground
  case toldAlone = "told-alone"
  case overBudget = "over-budget"
  case lookedAt = "looked-at"
  case nextFetch = "next-fetch"
  case recordingDenied = "recording-denied"
  /// It is only watched.
  case dryRun = "dry-run"
  /// Its processor time is bounded; `count` is the percentage of one processor.
  case bounded
  /// It has a bound, and no cgroup for it.
  case unbounded
  case recordsStraight = "records-straight"
}

/// A note on a program, or on the daemon: a word, and the facts that belong to it.
package struct NoteItem: DescribedItem {
  package static let itemKind = ItemKind.note

  package var program: String?
  package var what = OpenWord(HealthNote.lookedAt)
  package var cause: String?
  package var detail: String?
  package var pid: Int64?
  package var count: Int64?
  package var seconds: Double?
  package var silenceSeconds: Double?

  package init() {}

  package init(_ note: HealthNote, cause: String? = nil, detail: String? = nil) {
    (what, self.cause, self.detail) = (OpenWord(note), cause, detail)
  }

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.optional(.program, .text, value: &program)
    try fields.needed(.what, .openWord(), value: &what)
    try fields.optional(.cause, .text, value: &cause)
    try fields.optional(.detail, .text, value: &detail)
    try fields.optional(.pid, .integer, value: &pid)
    try fields.optional(.count, .integer, value: &count)
    try fields.optional(.seconds, .decimal, value: &seconds)
    try fields.optional(.silence, .decimal, value: &silenceSeconds)
  }
}

/// A check that the daemon has made for `doctor`: a word, and the facts that belong to it.
package struct DaemonCheckItem: DescribedItem {
  package static let itemKind = ItemKind.check

  package var name = ""
  package var result = Vocabulary.CheckResult.yes
  package var cause: String?
  package var detail: String?
  package var percent: Int64?
  package var availablePercent: Int64?
  package var isLocked = false
  package var isQuiet = false

  package init() {}

  package init(
    _ name: String, _ result: Vocabulary.CheckResult, cause: String? = nil, detail: String? = nil
  ) {
    (self.name, self.result, self.cause, self.detail) = (name, result, cause, detail)
  }

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.name, .text, value: &name)
    try fields.needed(.result, .word, value: &result)
    try fields.optional(.cause, .text, value: &cause)
    try fields.optional(.detail, .text, value: &detail)
    try fields.optional(.percent, .integer, value: &percent)
    try fields.optional(.available, .integer, value: &availablePercent)
    try fields.flag(.locked, &isLocked)
    try fields.flag(.quiet, &isQuiet)
  }
}

/// The reason why signals stop a program in place of a cgroup: a word of `cause`.
package enum NoCgroup: String, CaseIterable, Sendable {
  case noHierarchy = "no-hierarchy"
  case unwritable
  case notMoved = "not-moved"
  case notLet = "not-let"
}

/// The reason why the memory of sleepers is not given back: a word of `cause`.
package enum MemoryTrouble: String, CaseIterable, Sendable {
  case noSwap = "no-swap"
  case swapFull = "swap-full"
  case noRights = "no-rights"
}

package struct EndedItem: DescribedItem {
  package static let itemKind = ItemKind.ended

  package var name = ""
  /// Seconds since 1970.
  package var at = 0.0
  package var exitStatus = ExitStatus.unknown
  /// Nil when nobody learned it.
  package var reason: OpenWord<EndReason>?
  /// The program goes on, but is not managed any more.
  package var hasLeft = false

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.name, .text, value: &name)
    try fields.needed(.at, .decimal, value: &at)
    exitStatus = try exitStatus.visited(by: &fields)
    try fields.optional(.reason, .openWord(), value: &reason)
    try fields.flag(.left, &hasLeft)
  }
}

package struct InstalledItem: DescribedItem {
  package static let itemKind = ItemKind.installed

  package var name = ""
  package var state = OpenWord(InstalledState.ended)
  /// The reason for which it is started next, or was started last.
  package var reason: OpenWord<LaunchReason>?
  /// How often in a row it crashed or could not be started.
  package var restarts: Int64 = 0
  package var dueInSeconds: Double?
  /// The reason for which it could not be started, or the error in its file.
  package var text: String?
  /// The program was quit, and that is not on the disk yet.
  package var isWaiting = false
  /// The reason why the quit of the program is not on the disk.
  package var detail: String?
  /// For a program that has ended by itself, words of ``LaunchReason``: the events that may start it, beside
  /// the next start of lulld and the user. `schemes` are those of the links.
  package var starters: [String]?
  package var schemes: [String]?

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.name, .text, value: &name)
    try fields.needed(.state, .openWord(), value: &state)
    try fields.optional(.cause, .openWord(), value: &reason)
    try fields.usual(.restarts, .integer(0), value: &restarts)
    try fields.optional(.dueInSeconds, .decimal, value: &dueInSeconds)
    try fields.optional(.text, .text, value: &text)
    try fields.flag(.waiting, &isWaiting)
    try fields.optional(.detail, .text, value: &detail)
    try fields.optional(.starters, .list, value: &starters)
    try fields.optional(.schemes, .list, value: &schemes)
  }
}

/// An entry of the journal.
package struct EntryItem: DescribedItem {
  package static let itemKind = ItemKind.entry

  /// Seconds since 1970.
  package var at = 0.0
  package var program: String?
  package var what = OpenWord<JournalWord>("")
  package var cause: String?
  package var line: UInt64?
  package var detail: String?
  /// The one that has woken the program.
  package var peer: String?
  package var waitedMicroseconds: Int64?
  /// The entry sums up so many events.
  package var count: Int64 = 1
  /// The entry is that of a lulld before this one.
  package var isEarlier = false

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.at, .decimal, value: &at)
    try fields.optional(.program, .text, value: &program)
    try fields.needed(.what, .openWord(), value: &what)
    try fields.optional(.cause, .text, value: &cause)
    try fields.optional(.line, .unsigned, value: &line)
    try fields.optional(.detail, .text, value: &detail)
    try fields.optional(.peer, .text, value: &peer)
    try fields.optional(.waitedMicroseconds, .integer, value: &waitedMicroseconds)
    try fields.usual(.count, .integer(1), value: &count)
    try fields.flag(.earlier, &isEarlier)
  }

  /// The event in its words and facts, for example `woke (data), line 3: 12 bytes`.
  package var words: String {
    let cause = cause.map { " (\($0))" } ?? ""
    let times = count > 1 ? ", \(count) times" : ""
    return "\(what.text)\(cause)\(times)\(line.map { ", line \($0)" } ?? "")\(detail.map { ": \($0)" } ?? "")"
  }
}

package struct NotificationItem: DescribedItem {
  package static let itemKind = ItemKind.notification

  package var id: UInt64 = 0
  package var program = ""
  package var content = LocalNotification.blank
  package var state = OpenWord(Vocabulary.NotificationState.pending)
  /// Seconds since 1970.
  package var at: Double?
  /// A number of seconds, or a word of ``CalendarUnit``.
  package var repeats: String?
  package var zone: String?

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.notification, .unsigned, value: &id)
    try fields.needed(.program, .text, value: &program)
    let otherAction = try fields.optional(.otherAction, .text, value: content.otherAction)
    content = try content.visited(by: &fields)
    content.otherAction = otherAction
    try fields.needed(.state, .openWord(), value: &state)
    try fields.optional(.at, .decimal, value: &at)
    try fields.optional(.repeat, .text, value: &repeats)
    try fields.optional(.zone, .text, value: &zone)
  }
}
