import LullEngine
import LullWire

/// What is left to be told of an answer with several records. They are made while the client takes them, so
/// that an answer of any size costs no more memory than a slice of it.
struct Report {
  /// Where the rest of the records comes from.
  enum Part {
    case messages(ArraySlice<Message>)
    /// Every program from this slot on.
    case programs(from: Int, ProgramDetail)
    /// A program with everything that belongs to it; so many records have been told.
    case program(AppID, told: Int)
    /// Why a program is awake; so many records have been told.
    case why(AppID, told: Int)
    /// The lines of a program whose ids come after this one.
    case lines(AppID, after: UInt32, LineDetail)
    /// Descriptors of a set, by their numbers.
    case members(AppID, LineID, ArraySlice<Int32>)
    case notifications(ArraySlice<NotificationID>)
    /// Entries of the journal by their numbers.
    case entries(Range<Int>)
  }

  /// What is told of a program.
  enum ProgramDetail {
    case everything
    case lines(LineDetail)

    func part(of id: AppID) -> Part {
      switch self {
      case .everything: .program(id, told: 0)
      case .lines(let detail): .lines(id, after: 0, detail)
      }
    }
  }

  /// How a line that stands for a set is told.
  enum LineDetail {
    /// One record with the number of its connections.
    case sums
    /// Also a record for each of them.
    case members
  }

  /// The next part is the last one.
  private var parts: [Part]
  /// Records that were sent.
  private(set) var count = 0

  init(_ parts: [Part]) { self.parts = parts.reversed() }

  init(_ messages: [Message]) { self.init([.messages(messages[...])]) }

  /// It holds the numbers of all descriptors in a set, which may be many.
  var hasMembers: Bool {
    parts.contains { part in
      if case .members = part { true } else { false }
    }
  }

  mutating func next() -> Part? { parts.popLast() }

  /// Puts parts in front of what is left.
  mutating func put(_ first: [Part]) { parts += first.reversed() }

  mutating func sent(_ number: Int) { count += number }
}
