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
    /// The words after which a program of the same name is another one.
    static let exited = "exited", ends = [exited, "left"]

    /// The time of the entry, in nanoseconds of the wall clock.
    let at: Int64
    let program: String?
    let what: String
    var cause: String?
    var line: UInt32?
    var detail: String?
    /// The peer that has woken the program.
    var peer: String?
    /// The time that the peer's data waited for the thaw.
    var waitedMicroseconds: Int64?
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
  /// Nil for a line without a time and a word.
  init?(_ stored: JournalLines.Line) {
    let message = stored.entry
    guard let at = try? message.interval(.at), let what = message[.what] else { return nil }
    self.init(at: at.nanoseconds, program: message[.program], what: what)
    (cause, detail, peer) = (message[.cause], message[.detail], message[.peer])
    line = message[.line].flatMap { UInt32($0) }
    waitedMicroseconds = message[.waitedMicroseconds].flatMap { Int64($0) }
    count = message[.count].flatMap { Int($0) } ?? 1
    origin = stored.isOfThisBoot ? .earlier : .earlierBoot
  }
}
