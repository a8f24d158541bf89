import LullChannel
import LullModel
import LullSystem
import LullWire

extension Journal {
  struct Entry: Equatable {
    enum Origin {
      case own
      /// A daemon before this one, since the machine was started.
      case earlier
      /// A daemon before the machine was started.
      case earlierBoot
    }

    static let refusal = "freeze-refused", takenBack = "freeze-taken-back"
    static let wake = "woke", sleep = "frozen", guardThaw = "guard-thawed"
    static let purge = "purged", launch = "launched"
    static let notified = "notification-shown", scheduled = "notification-scheduled"
    static let notTold = "notify-failed"
    /// The words after which a program of the same name is another one.
    static let exited = "exited", left = "left", ends = [exited, left]

    /// The time of the entry, in nanoseconds of the wall clock.
    var at: Int64
    let program: String?
    let what: String
    var cause: String?
    var line: UInt32?
    var detail: String?
    /// The peer that has woken the program.
    var peer: String?
    /// The time that the peer's data waited for the thaw.
    var waitedMicroseconds: Int64?
    /// The first process of the program of which the entry tells the end; the file alone has it.
    var process: ProcessIdentity?
    /// The number of events that the entry sums up.
    var count = 1
    var origin = Origin.own

    var item: EntryItem {
      EntryItem {
        ($0.at, $0.program, $0.what, $0.cause) = (Double(at / 1000) / 1e6, program, what, cause)
        ($0.line, $0.detail, $0.peer) = (line.map { UInt64($0) }, detail, peer)
        $0.waitedMicroseconds = waitedMicroseconds.map { Int64($0) }
        ($0.count, $0.isEarlier) = (Int64(count), origin != .own)
      }
    }

    /// The line in the journal's file.
    var stored: Message {
      item.adding(to: Message(JournalLines.entryVerb)).adding(.pid, process?.pid)
        .adding(.start, process?.start)
    }

    /// True when it tells of that end. An older lulld noted no processes.
    func tells(_ end: Entry) -> Bool {
      what == end.what && program == end.program && (process == nil || process == end.process)
    }

    /// True for one of the same start of the machine that goes before the other one.
    func isBefore(_ other: Entry) -> Bool {
      at < other.at && (origin == .earlierBoot) == (other.origin == .earlierBoot)
    }
  }

  struct Filter: Equatable {
    var program: String?
    /// Only entries since this time on the wall clock.
    var since: Interval?
    /// Only those since the machine was started.
    var boot = false

    func lets(_ entry: Entry) -> Bool {
      (program == nil || entry.program == program) && (since.map { entry.at >= $0.nanoseconds } ?? true)
        && (!boot || entry.origin != .earlierBoot)
    }
  }
}

extension Journal.Entry {
  /// The end of a program, as a ledger has it.
  init(_ end: EndEntry) {
    self.init(at: end.at, program: end.name, what: end.hasLeft ? Self.left : Self.exited)
    (cause, detail, process, origin) = (end.reason, end.status.knownWords, end.process, .earlier)
  }

  /// Nil for a line without a time and a word.
  init?(_ stored: JournalLines.Line) {
    let message = stored.entry
    guard let at = try? message.interval(.at), let what = message[.what] else { return nil }
    self.init(at: at.nanoseconds, program: message[.program], what: what)
    (cause, detail, peer) = (message[.cause], message[.detail], message[.peer])
    line = message[.line].flatMap { UInt32($0) }
    waitedMicroseconds = message[.waitedMicroseconds].flatMap { Int64($0) }
    count = message[.count].flatMap { Int($0) } ?? 1
    if let pid = message[.pid].flatMap({ Int32($0) }), let start = message[.start].flatMap({ UInt64($0) }) {
      process = ProcessIdentity(pid: pid, start: start)
    }
    origin = stored.isOfThisBoot ? .earlier : .earlierBoot
  }
}
