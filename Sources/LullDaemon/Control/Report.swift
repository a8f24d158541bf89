import LullWire

/// The rest of an answer with several records. The records are made while the client takes them, so that an
/// answer of any size costs no more memory than a slice of it.
struct Report {
  enum Section {
    case messages(ArraySlice<Message>)
    case programs(from: Int, ProgramDetail)
    /// A program with everything that belongs to it; `told` records have been sent.
    case program(AppID, told: Int)
    case why(AppID, told: Int)
    case lines(AppID, after: UInt32, LineDetail)
    /// Descriptors of a set, by their numbers.
    case members(AppID, LineID, ArraySlice<Int32>)
    /// A notification that repeats may be shown and scheduled at once, under one number.
    case notifications(ArraySlice<(id: NotificationID, isScheduled: Bool)>)
    case entries(Range<Int>, Journal.Filter)
  }

  enum ProgramDetail {
    case everything
    case lines(LineDetail)

    func section(of id: AppID) -> Section {
      switch self {
      case .everything: .program(id, told: 0)
      case .lines(let detail): .lines(id, after: 0, detail)
      }
    }
  }

  enum LineDetail {
    /// One record with the number of its connections.
    case sums
    /// Also a record for each of its connections.
    case members
  }

  private var sections: [Section]
  private(set) var count = 0

  init(_ sections: [Section]) { self.sections = sections.reversed() }

  init(_ messages: [Message]) { self.init([.messages(messages[...])]) }

  var hasMembers: Bool {
    sections.contains { part in
      if case .members = part { true } else { false }
    }
  }

  mutating func next() -> Section? { sections.popLast() }

  mutating func put(_ first: [Section]) { sections += first.reversed() }

  mutating func sent(_ number: Int) { count += number }
}
