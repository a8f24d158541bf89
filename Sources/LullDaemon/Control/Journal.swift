import LullSystem
import LullWire

/// The events of the daemon, newest last; bounded, in memory.
final class Journal {
  struct Entry {
    /// The time of the entry, in nanoseconds of the wall clock.
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
  private static let maximumFailures = 256

  private var entries: [Entry] = []
  /// The number of entries so far; they are numbered from 0 on.
  private var count = 0
  /// The number of the next entry for the followers; nil as long as nobody has ever followed.
  private var nextTold: Int?
  /// The unexpected failures that were noted, each of them once: a failure that repeats must not push the
  /// other entries out.
  private var failures: Set<String> = []

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
  }

  func noteUnexpected(_ error: SystemError) {
    let detail = "\(error)"
    guard failures.count < Self.maximumFailures, failures.insert(detail).inserted else { return }
    note(at: Clock.realtime(), program: nil, what: "unexpected", detail: detail)
  }

  /// New entries are kept for `untold` from now on.
  func follow() { if nextTold == nil { nextTold = count } }

  /// True when there are entries that the followers have not been told.
  var hasUntold: Bool { nextTold.map { $0 < count } ?? false }

  /// The entries since the last call, for the followers.
  func untold() -> [Entry] {
    guard let first = nextTold, first < count else { return [] }
    nextTold = count
    return (first..<count).compactMap { self[$0] }
  }

  /// The numbers of the last `wanted` entries.
  func numbers(last wanted: Int) -> Range<Int> { count - min(max(0, wanted), entries.count)..<count }

  /// The entry of that number; nil when a newer entry has overwritten it.
  subscript(_ number: Int) -> Entry? {
    number >= count - entries.count && number < count ? entries[number % Self.capacity] : nil
  }
}
