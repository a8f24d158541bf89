import LullChannel
import LullModel
import LullSystem
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct JournalFileTests {
  private let folder: TemporaryDirectory
  private var directory: String { "\(folder.path)/lull" }
  private var path: String { "\(directory)/journal.log" }

  init() throws { folder = try TemporaryDirectory() }

  /// A daemon's journal, read back from the file.
  private func restored(_ file: JournalFile? = nil) -> Journal {
    let journal = Journal()
    (file ?? JournalFile(directory: directory)).restore(journal)
    return journal
  }

  private func entries(_ journal: Journal) -> [Journal.Entry] {
    journal.numbers(last: .max).compactMap { journal[$0] }
  }

  /// Writes entries as a daemon does, and ends it.
  private func write(_ entries: [Journal.Entry]) {
    let (journal, file) = (Journal(), JournalFile(directory: directory))
    file.restore(journal)
    for entry in entries { journal.note(entry) }
    file.finish(journal)
  }

  private func append(_ text: String) throws {
    let end = try Files.openForAppending(path)
    try StandardStreams.write(Array(text.utf8), to: end.raw)
  }

  @Test func `the next daemon has every field of an entry, before its own`() {
    var woke = Journal.Entry(
      at: 1_700_000_000_123_456_000, program: "phone", what: "woke", cause: "data", line: 7,
      detail: "a \"b\"\n")
    (woke.peer, woke.waitedMicroseconds, woke.count) = ("10.0.0.7:5090", 31, 3)
    write([woke])
    let journal = Journal()
    journal.note(at: 5, program: nil, what: "started")
    JournalFile(directory: directory).restore(journal)
    woke.origin = .earlier
    #expect(entries(journal) == [woke, Journal.Entry(at: 5, program: nil, what: "started")])
  }

  @Test func `daemons one after the other add to one file`() {
    for word in ["one", "two", "three"] { write([Journal.Entry(at: 1, program: nil, what: word)]) }
    #expect(entries(restored()).map(\.what) == ["one", "two", "three"])
  }

  private func end(_ pid: Int32, at moment: Int64, hasLeft: Bool = false) -> EndEntry {
    EndEntry(
      name: "phone", at: moment, process: ProcessIdentity(pid: pid, start: 3), status: .signaled(11),
      reason: OpenWord(.crashed), hasLeft: hasLeft)
  }

  @Test func `an end that the daemon before did not note is added where it belongs, once`() {
    var known = Journal.Entry(end(7, at: 2_000_000_000))
    known.origin = .own
    write([
      Journal.Entry(at: 1_000_000_000, program: "phone", what: "registered"), known,
      Journal.Entry(at: 9_000_000_000, program: nil, what: "late"),
    ])
    var unknown = end(9, at: 3_000_000_000)
    unknown.process = nil
    let ends = [
      end(7, at: 1_500_000_000), end(8, at: 5_000_000_000), unknown, end(8, at: 5_500_000_000, hasLeft: true),
    ]
    for _ in 0..<2 {
      let (journal, file) = (Journal(), JournalFile(directory: directory))
      journal.note(at: 10_000_000_000, program: nil, what: "started")
      file.restore(journal, ends: ends.map(Journal.Entry.init(_:)))
      let words = entries(journal).map(\.what).filter { $0 != "started" }
      #expect(words == ["registered", "exited", "exited", "left", "late"])
      #expect(entries(journal)[2].detail == "SIGSEGV" && entries(journal)[2].cause == "crashed")
      file.finish(journal)
    }
    #expect(entries(restored()).count { $0.what == "exited" } == 2)
  }

  @Test func `an end that was pushed out is not added again, nor one that an older lulld has noted`() {
    write(
      (0..<Journal.capacity).map {
        Journal.Entry(at: 1_000_000_000 * Int64($0 + 10), program: nil, what: "n")
      })
    let journal = Journal()
    JournalFile(directory: directory).restore(journal, ends: [Journal.Entry(end(7, at: 9_000_000_000))])
    #expect(entries(journal).allSatisfy { $0.what == "n" })
    let other = Journal()
    let old = Journal.Entry(at: 5_000_000_000, program: "phone", what: "exited")
    #expect(other.begin(with: [old], ends: [Journal.Entry(end(7, at: 9_000_000_000))]) == [])
  }

  @Test func `a torn last line is dropped, and lines of others are passed over`() throws {
    write([Journal.Entry(at: 1, program: nil, what: "one")])
    try append("nonsense\nentry\nentry at=x what=x\n\u{7f}\nentry at=2 what=two\nentry at=3 what=thr")
    #expect(entries(restored()).map(\.what) == ["one", "two"])
    write([Journal.Entry(at: 4, program: nil, what: "four")])
    #expect(entries(restored()).map(\.what) == ["one", "two", "four"])
  }

  @Test func `entries of another start of the machine are told apart`() throws {
    write([Journal.Entry(at: 0, program: nil, what: "gone")])
    try Files.replace(path, with: Array("journal boot=other\nentry at=1 what=old program=a\n".utf8))
    write([Journal.Entry(at: 2_000_000_000, program: "a", what: "new")])
    let journal = restored()
    #expect(entries(journal).map(\.origin) == [.earlierBoot, .earlier])
    var filter = Journal.Filter(program: "a", since: nil, boot: true)
    #expect(entries(journal).filter(filter.lets).map(\.what) == ["new"])
    filter = Journal.Filter(program: "a", since: .seconds(2), boot: false)
    #expect(entries(journal).filter(filter.lets).map(\.what) == ["new"])
    filter.program = "b"
    #expect(entries(journal).filter(filter.lets).isEmpty)
  }

  @Test func `two files of 1 MiB at most are kept, and the newest entries are read back`() throws {
    let (journal, file) = (Journal(), JournalFile(directory: directory))
    file.restore(journal)
    let detail = String(repeating: "x", count: 900)
    for number in 0..<3000 {
      journal.note(at: Int64(number) * 1000, program: "a", what: "n", detail: detail)
      if number.isMultiple(of: 100) { file.finish(journal) }
    }
    file.finish(journal)
    for name in [path, path + ".1"] {
      let size = try Files.read(name, limit: 1 << 24).count
      #expect(size > 0 && size <= JournalLines.maximumBytes)
    }
    let read = entries(restored())
    #expect(read.last?.at == 2_999_000)
    #expect(read.count > 1000 && read.count <= Journal.capacity)
    #expect(zip(read, read.dropFirst()).allSatisfy { $1.at - $0.at == 1000 })
  }

  @Test func `what cannot be written is said once, kept, and written later`() throws {
    // A file stands in the directory's place.
    try Files.replace(directory, with: [])
    let (journal, file) = (Journal(), JournalFile(directory: directory, retry: 0))
    file.restore(journal)
    journal.note(at: 1, program: nil, what: "one")
    for _ in 0..<3 { file.write(journal) }
    #expect(file.failure?.hasPrefix("open \(directory): ") == true, "\(file.failure ?? "none")")
    #expect(!file.hasBacklog)
    journal.note(at: 2, program: nil, what: "two")
    #expect(entries(journal).map(\.what) == ["one", "journal-unwritten", "two"])
    try Files.unlink(directory)
    file.finish(journal)
    file.takeProgress(journal)
    #expect(file.failure == nil)
    #expect(entries(restored()).map(\.what) == ["one", "journal-unwritten", "two"])
  }

  @Test func `a second daemon does not write into the first one's file`() {
    let (journal, file) = (Journal(), JournalFile(directory: directory))
    journal.note(at: 1, program: nil, what: "first")
    file.finish(journal)
    let (other, second) = (Journal(), JournalFile(directory: directory))
    second.restore(other)
    other.note(at: 2, program: nil, what: "second")
    second.finish(other)
    second.takeProgress(other)
    #expect(second.failure == "journal-of-another text=\(path)")
    #expect(entries(restored()).map(\.what) == ["first"])
  }

  @Test func `without a home directory there is a journal in memory`() {
    let (journal, file) = (Journal(), JournalFile(directory: nil))
    file.restore(journal)
    file.write(journal)
    #expect(file.failure == "no-home")
  }
}
