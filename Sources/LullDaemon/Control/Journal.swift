import LullChannel
import LullModel
import LullSystem
import LullWire

/// The events of the daemon, newest last; bounded, in memory. `JournalFile` keeps them over a restart.
final class Journal {
  static let capacity = 2048
  private static let maximumFailures = 256

  private var entries: [Entry] = []
  /// Entries are numbered from 0 on.
  private(set) var count = 0
  /// Nil as long as nobody has ever followed.
  private var nextTold: Int?
  /// The unexpected failures that were noted, each of them once: a failure that repeats must not push the
  /// other entries out.
  private var failures: Set<String> = []
  private var streaks = Streaks()

  /// Entries have the moment at which they are noted, so that they are in the order of time.
  func note(
    at: Int64 = Clock.realtime(), program: String?, what: String, cause: String? = nil, line: UInt32? = nil,
    detail: String? = nil
  ) {
    note(Entry(at: at, program: program, what: what, cause: cause, line: line, detail: detail))
  }

  func note(program: String?, what: String, _ why: Explanation) {
    note(program: program, what: what, detail: why.line)
  }

  /// An entry that could flood the journal is summed up.
  func note(_ entry: Entry) { for entry in streaks.entries(for: entry) { append(entry) } }

  /// Puts the entries of earlier daemons in front of those that were noted already; before anybody follows.
  /// Returns those of `ends` that were added because nobody had noted them: the daemon had died before. An
  /// end that is older than all that is remembered was noted before.
  func begin(with earlier: [Entry], ends: [Entry] = []) -> [Entry] {
    let known = earlier + (0..<count).compactMap { self[$0] }
    let oldest = earlier.count < Self.capacity ? Int64.min : earlier[0].at
    let missing = ends.filter { end in
      end.process != nil && end.at >= oldest && !known.contains { $0.tells(end) }
    }
    (entries, count) = ([], 0)
    for entry in Self.inOrder(known + missing) { append(entry) }
    return missing
  }

  /// Ends alone are noted late. Anything else that is out of order shows that the clock was set.
  private static func inOrder(_ entries: [Entry]) -> [Entry] {
    var sorted: [Entry] = []
    for entry in entries {
      var place = sorted.count
      while Entry.ends.contains(entry.what), place > 0, entry.isBefore(sorted[place - 1]) { place -= 1 }
      sorted.insert(entry, at: place)
    }
    return sorted
  }

  private func append(_ entry: Entry) {
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

  func follow() { if nextTold == nil { nextTold = count } }

  var hasUntold: Bool { nextTold.map { $0 < count } ?? false }

  func untold() -> [Entry] {
    guard let first = nextTold, first < count else { return [] }
    nextTold = count
    return (first..<count).compactMap { self[$0] }
  }

  private var oldest: Int { count - entries.count }

  /// The numbers among which are the last `wanted` entries that the filter lets pass, and no earlier ones.
  func numbers(last wanted: Int, _ filter: Filter = Filter()) -> Range<Int> {
    var (first, left) = (count, max(0, wanted))
    while first > oldest, left > 0 {
      first -= 1
      if let entry = self[first], filter.lets(entry) { left -= 1 }
    }
    return first..<count
  }

  func own(from first: Int, atMost most: Int) -> (entries: [Entry], next: Int) {
    var (found, number): ([Entry], Int) = ([], max(first, oldest))
    while number < count, found.count < most {
      if let entry = self[number], entry.origin == .own { found.append(entry) }
      number += 1
    }
    return (found, number)
  }

  /// Nil when a newer entry has overwritten it.
  subscript(_ number: Int) -> Entry? {
    number >= oldest && number < count ? entries[number % Self.capacity] : nil
  }

  func lastOwn(_ word: String) -> Entry? {
    (oldest..<count).reversed().lazy.compactMap { self[$0] }
      .first { $0.program == nil && $0.what == word && $0.origin == .own }
  }

  func hasEntries(of program: String) -> Bool {
    (oldest..<count).contains { self[$0]?.program == program }
  }

  func entries(_ word: String, of program: String) -> [Entry] {
    (oldest..<count).lazy.compactMap { self[$0] }.filter { $0.what == word && $0.program == program }
  }

  /// The last entry of a program with one of these words, in its present life or, after that, in its last
  /// one.
  func last(_ words: [String], of program: String) -> Entry? {
    for number in (oldest..<count).reversed() {
      guard let entry = self[number], entry.program == program else { continue }
      if words.contains(entry.what) { return entry }
      if Entry.ends.contains(entry.what) { return nil }
    }
    return nil
  }

  struct Entry: Equatable {
    enum Origin {
      case own
      /// A daemon before this one, since the machine was started.
      case earlier
      /// A daemon before the machine was started.
      case earlierBoot
    }

    static let refusal = "freeze-refused", takenBack = "freeze-taken-back"
    static let wake = JournalWord.woke.rawValue, sleep = JournalWord.frozen.rawValue
    static let purge = JournalWord.purged.rawValue, launch = JournalWord.launched.rawValue
    static let notified = "notification-shown", scheduled = "notification-scheduled"
    static let notTold = "notify-failed", guardThaw = "guard-thawed"
    /// The words after which a program of the same name is another one.
    static let exited = JournalWord.exited.rawValue, left = JournalWord.left.rawValue, ends = [exited, left]

    /// The time of the entry, in nanoseconds of the wall clock.
    var at: Int64
    let program: String?
    let what: String
    var cause: String?
    var line: UInt32?
    var detail: String?
    var peer: String?
    /// The time that the peer's data waited for the thaw.
    var waitedMicroseconds: Int64?
    /// The first process of the program of which the entry tells the end; the file alone has it.
    var process: ProcessIdentity?
    var count = 1
    var origin = Origin.own

    var item: EntryItem {
      EntryItem {
        ($0.at, $0.program, $0.what, $0.cause) = (Double(at / 1000) / 1e6, program, OpenWord(what), cause)
        ($0.line, $0.detail, $0.peer) = (line.map { UInt64($0) }, detail, peer)
        $0.waitedMicroseconds = waitedMicroseconds.map { Int64($0) }
        ($0.count, $0.isEarlier) = (Int64(count), origin != .own)
      }
    }

    var stored: Message {
      item.adding(to: Message(JournalLines.entryVerb)).adding(.pid, process?.pid)
        .adding(.start, process?.start)
    }

    /// An older lulld noted no processes.
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
    /// On the wall clock.
    var since: Interval?
    var boot = false

    func lets(_ entry: Entry) -> Bool {
      (program == nil || entry.program == program) && (since.map { entry.at >= $0.nanoseconds } ?? true)
        && (!boot || entry.origin != .earlierBoot)
    }
  }
}

extension Journal: FailureLog {}

extension Journal.Entry {
  init(_ end: EndEntry) {
    self.init(at: end.at, program: end.name, what: end.hasLeft ? Self.left : Self.exited)
    (cause, detail, process, origin) = (end.reason?.text, end.status.knownWords, end.process, .earlier)
  }

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

/// Entries of one kind in a row, by program or of none, which would push all others out of the journal. A
/// program that never sleeps is tried again and again, and a program may show thousands of notifications, for
/// each of which the hook may fail. The first ones are told one by one, then the sum at ten times as many, at
/// a hundred times and so on, and the rest of the sum when something else happens.
struct Streaks {
  private struct Streak {
    var last: Journal.Entry
    let singly: Int
    var count = 1
    var told = 1
    var next: Int

    init(_ first: Journal.Entry, singly: Int) { (last, self.singly, next) = (first, singly, 10 * singly) }

    mutating func take(_ entry: Journal.Entry) -> Journal.Entry? {
      last = entry
      count += 1
      guard count > singly else {
        told = count
        return entry
      }
      guard count == next else { return nil }
      next *= 10
      return takeSum(at: entry.at)
    }

    /// Others have noted something since the last entry, so the sum has the moment at which it is told.
    mutating func takeSum(at moment: Int64) -> Journal.Entry? {
      guard count > told else { return nil }
      var sum = last
      sum.at = moment
      sum.count = count - told
      told = count
      return sum
    }
  }

  private var streaks: [String?: Streak] = [:]

  mutating func entries(for entry: Journal.Entry) -> [Journal.Entry] {
    let program = entry.program
    if var streak = streaks[program], streak.last.isAlike(entry) {
      defer { streaks[program] = streak }
      return [streak.take(entry)].compactMap(\.self)
    }
    var ended = streaks.removeValue(forKey: program)
    streaks[program] = entry.singly.map { Streak(entry, singly: $0) }
    return [ended?.takeSum(at: entry.at), entry].compactMap(\.self)
  }
}

extension Journal.Entry {
  fileprivate func isAlike(_ other: Self) -> Bool { what == other.what && cause == other.cause }

  /// The number of entries of its kind in a row that are told one by one; nil: all.
  fileprivate var singly: Int? {
    switch what {
    case Self.refusal, Self.takenBack: 1
    case Self.notified, Self.scheduled, Self.notTold: 10
    default: nil
    }
  }
}
