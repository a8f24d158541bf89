import LullWire

/// What happened, newest last; bounded, in memory.
final class Journal {
  struct Entry {
    /// Nanoseconds of the wall clock.
    let at: Int64
    let program: String?
    let what: String
    let cause: String?
    let line: UInt32?
    let detail: String?

    func adding(to message: Message) -> Message {
      message.adding(.at, Double(at / 1000) / 1e6).adding(.program, program).adding(.what, what)
        .adding(.cause, cause).adding(.line, line).adding(.detail, detail)
    }
  }

  static let capacity = 2048

  private var entries: [Entry] = []
  /// How many entries there have been; they are numbered from 0 on.
  private var count = 0
  /// Called with each new entry.
  var onEntry: ((Entry) -> Void)?

  func note(
    at: Int64, program: String?, what: String, cause: String? = nil, line: UInt32? = nil,
    detail: String? = nil
  ) {
    let entry = Entry(at: at, program: program, what: what, cause: cause, line: line, detail: detail)
    if entries.count < Self.capacity {
      entries.append(entry)
    } else {
      entries[count % Self.capacity] = entry
    }
    count += 1
    onEntry?(entry)
  }

  /// The numbers of the last `wanted` entries.
  func numbers(last wanted: Int) -> Range<Int> { count - min(max(0, wanted), entries.count)..<count }

  /// The entry of that number; nil when a newer one stands in its place.
  subscript(_ number: Int) -> Entry? {
    number >= count - entries.count && number < count ? entries[number % Self.capacity] : nil
  }
}
