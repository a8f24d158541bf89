package struct DaemonItem: DescribedItem {
  package static let itemKind = ItemKind.daemon

  package var pid: Int64 = 0
  package var version = ""
  package var clockRate = 1.0
  /// A word of ``Vocabulary/Suspender``.
  package var suspender = ""
  package var restarts: Int64 = 0
  /// Notifications make no sound.
  package var isQuiet = false
  package var isLocked = false
  /// Nil while no lull-guard watches.
  package var guardPid: Int64?
  /// The moment at which the daemon was started first, in seconds since 1970.
  package var since: Double?
  /// A word of ``Vocabulary/Starter``.
  package var startedBy: String?
  package var cgroupRoot: String?
  /// The time within which the service manager wants a sign of life, in seconds.
  package var watchdogSeconds: Double?

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.pid, .integer, value: &pid)
    try fields.needed(.version, .text, value: &version)
    try fields.needed(.clockRate, .decimal, value: &clockRate)
    try fields.needed(.suspender, .text, value: &suspender)
    try fields.usual(.restarts, .integer(0), value: &restarts)
    try fields.flag(.quiet, &isQuiet)
    try fields.flag(.locked, &isLocked)
    try fields.optional(.guardPid, .integer, value: &guardPid)
    try fields.optional(.since, .decimal, value: &since)
    try fields.optional(.startedBy, .text, value: &startedBy)
    try fields.optional(.cgroup, .text, value: &cgroupRoot)
    try fields.optional(.watchdog, .decimal, value: &watchdogSeconds)
  }
}

package struct DeviceItem: DescribedItem {
  package static let itemKind = ItemKind.device

  /// A word of ``Vocabulary/DeviceState``.
  package var state = ""
  package var name: String?

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.state, .text, value: &state)
    try fields.optional(.device, .text, value: &name)
  }
}

/// A sentence about a program, or about the daemon.
package struct RemarkItem: DescribedItem {
  package static let itemKind = ItemKind.remark

  package var program: String?
  package var text = ""

  package init() {}

  package init(_ text: String, of program: String? = nil) { (self.text, self.program) = (text, program) }

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.optional(.program, .text, value: &program)
    try fields.needed(.text, .text, value: &text)
  }
}

/// A check of `doctor`.
package struct CheckItem: DescribedItem {
  package static let itemKind = ItemKind.check

  package var name = ""
  package var result = Vocabulary.CheckResult.yes
  package var detail = ""
  package var mend: String?

  package init() {}

  package init(name: String, _ result: Vocabulary.CheckResult, _ detail: String, mend: String? = nil) {
    (self.name, self.result, self.detail, self.mend) = (name, result, detail, mend)
  }

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.name, .text, value: &name)
    try fields.needed(.result, .word, value: &result)
    try fields.needed(.detail, .text, value: &detail)
    try fields.optional(.mend, .text, value: &mend)
  }
}

package struct EndedItem: DescribedItem {
  package static let itemKind = ItemKind.ended

  package var name = ""
  /// Seconds since 1970.
  package var at = 0.0
  /// Nil when a signal ended the program, or nobody learned its status.
  package var status: Int64?
  package var signal: Int64?
  /// Why it ended: `quit`, `crashed`, `terminated`, `exited`, or why Lull has killed it; nil when nobody
  /// learned it.
  package var reason: String?
  /// The program goes on, but is not managed any more.
  package var hasLeft = false

  package init() {}

  package var exitStatus: ExitStatus {
    get {
      if let status { return .exited(Int32(truncatingIfNeeded: status)) }
      return signal.map { .signaled(Int32(truncatingIfNeeded: $0)) } ?? .unknown
    }
    set {
      switch newValue {
      case .exited(let code): status = Int64(code)
      case .signaled(let number): signal = Int64(number)
      case .unknown: break
      }
    }
  }

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.name, .text, value: &name)
    try fields.needed(.at, .decimal, value: &at)
    try fields.optional(.status, .integer, value: &status)
    try fields.optional(.signal, .integer, value: &signal)
    try fields.optional(.reason, .text, value: &reason)
    try fields.flag(.left, &hasLeft)
  }
}

package struct InstalledItem: DescribedItem {
  package static let itemKind = ItemKind.installed

  package var name = ""
  /// A word of ``InstalledState``.
  package var state = ""
  /// The reason for which it is started next, or was started last.
  package var reason: String?
  /// How often in a row it crashed or could not be started.
  package var restarts: Int64 = 0
  package var dueInSeconds: Double?
  /// The reason for which it could not be started, or the mistake in its file.
  package var text: String?
  /// The program was quit, and that is not on the disk yet.
  package var isWaiting = false
  /// For a program that has ended by itself, the events that may start it, beside the next start of lulld and
  /// the user. For one that was quit, the reason why that is not on the disk.
  package var detail: String?

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.name, .text, value: &name)
    try fields.needed(.state, .text, value: &state)
    try fields.optional(.cause, .text, value: &reason)
    try fields.usual(.restarts, .integer(0), value: &restarts)
    try fields.optional(.dueInSeconds, .decimal, value: &dueInSeconds)
    try fields.optional(.text, .text, value: &text)
    try fields.flag(.waiting, &isWaiting)
    try fields.optional(.detail, .text, value: &detail)
  }
}

/// An entry of the journal.
package struct EntryItem: DescribedItem {
  package static let itemKind = ItemKind.entry

  /// Seconds since 1970.
  package var at = 0.0
  package var program: String?
  package var what = ""
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
    try fields.needed(.what, .text, value: &what)
    try fields.optional(.cause, .text, value: &cause)
    try fields.optional(.line, .unsigned, value: &line)
    try fields.optional(.detail, .text, value: &detail)
    try fields.optional(.peer, .text, value: &peer)
    try fields.optional(.waitedMicroseconds, .integer, value: &waitedMicroseconds)
    try fields.usual(.count, .integer(1), value: &count)
    try fields.flag(.earlier, &isEarlier)
  }
}

package struct NotificationItem: DescribedItem {
  package static let itemKind = ItemKind.notification

  package var id: UInt64 = 0
  package var program = ""
  package var content = LocalNotification.blank
  /// A word of ``Vocabulary/NotificationState``.
  package var state = ""
  /// Seconds since 1970.
  package var at: Double?
  /// A number of seconds, or a word of ``CalendarUnit``.
  package var repeats: String?
  package var zone: String?

  package init() {}

  package mutating func visit(by fields: inout some FieldVisitor) throws(WireError) {
    try fields.needed(.notification, .unsigned, value: &id)
    try fields.needed(.program, .text, value: &program)
    content = try content.visited(by: &fields)
    try fields.needed(.state, .text, value: &state)
    try fields.optional(.at, .decimal, value: &at)
    try fields.optional(.repeat, .text, value: &repeats)
    try fields.optional(.zone, .text, value: &zone)
  }
}
