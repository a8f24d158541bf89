import LullModel
import LullSystem
import TestSupport
import Testing

@testable import LullChannel

/// The file of the ledger, as several processes write it.
@Suite(.bounded) struct LedgerFileTests {
  private let folder: TemporaryDirectory
  private let path: String

  init() throws {
    folder = try TemporaryDirectory()
    path = "\(folder.path)/ledger"
  }

  private func record(_ number: Int) -> LedgerRecord { .uninstalled(name: "p\(number)") }

  private func end(_ number: Int) -> LedgerRecord {
    .exited(EndEntry(name: "p\(number)", at: 1, process: ProcessIdentity(pid: 1, start: UInt64(number))))
  }

  /// The content of a file with these lines after its head, of which the last one may have no end.
  private func content(_ text: String, boot: String? = "b", of head: String = "ledger version=1 boot=b\n")
    -> LedgerFile.Content
  {
    LedgerFile.content(Array((head + text).utf8), boot: boot, of: "ledger")
  }

  // MARK: Reading

  @Test func `there may be no file`() throws { #expect(try LedgerFile.read(path) == nil) }

  @Test func `a last line without an end was torn, and is passed over without a word`() {
    let whole = content("quiet on\nuninstalled name=p1\n")
    #expect(whole.records == [.quiet(true), record(1)] && whole.isOfThisBoot && whole.isKnown)
    #expect(whole.faults.isEmpty)
    let torn = content("quiet on\nuninstalled name=p")
    #expect(torn.records == [.quiet(true)] && torn.faults.isEmpty)
    #expect(content("", of: "ledger vers") == LedgerFile.Content())
    #expect(content("", of: "") == LedgerFile.Content())
  }

  @Test func `what cannot be read in the midst is told with its place, and the rest is used`() {
    let found = content("quiet on\n\u{0}\u{1}\nheard\n\nprogram name=x\nuninstalled name=p1\n")
    #expect(found.records == [.quiet(true), record(1)])
    #expect(found.faults.count == 3)
    for (fault, line) in zip(found.faults, [3, 4, 6]) {
      #expect(fault.hasPrefix("ledger, line \(line), is passed over: "))
    }
  }

  @Test func `another version is passed over as a whole`() {
    for head in ["ledger version=2 boot=b\n", "ledger boot=b\n", "quiet on\n"] {
      let found = content("uninstalled name=p1\n", of: head)
      #expect(found.records.isEmpty && !found.isKnown)
      #expect(found.faults == ["ledger is passed over: another version of Lull has written it"])
    }
  }

  @Test func `a file of another boot is known as such`() {
    #expect(!content("quiet on\n", boot: "c").isOfThisBoot)
    #expect(!content("quiet on\n", boot: nil, of: "ledger version=1\n").isOfThisBoot)
    #expect(content("quiet on\n", boot: "c").records == [.quiet(true)])
  }

  // MARK: Writing

  @Test func `what is replaced and appended is read back`() throws {
    let file = LedgerAppender(path)
    #expect(try !file.append([record(0)]))
    #expect(try file.replace { [record(1), record(2)] })
    #expect(try file.append([record(3), .quiet(true)]))
    let found = try #require(try LedgerFile.read(path))
    #expect(found.records == [record(1), record(2), record(3), .quiet(true)])
    #expect(found.isOfThisBoot && found.faults.isEmpty)
    #expect(try file.size == Files.readOwn(path, limit: 1 << 20).count)
    #expect(try file.replace { [] })
    #expect(try LedgerFile.read(path)?.records == [])
  }

  @Test func `a line that its writer has torn does not swallow the next one`() throws {
    let file = LedgerAppender(path)
    #expect(try file.replace { [record(1)] })
    let other = DescriptorBox(try Files.openForAppending(path))
    try StandardStreams.write(Array("uninstalled name=p".utf8), to: other.raw)
    try LedgerAppender(path).appendBesideDaemon([end(2)])
    #expect(try file.append([record(3)]))
    let found = try #require(try LedgerFile.read(path))
    #expect(found.records == [record(1), .uninstalled(name: "p"), end(2), record(3)])
  }

  @Test func `the daemon is told when its file was removed, or another one has its name`() throws {
    let file = LedgerAppender(path)
    #expect(try file.replace { [record(1)] })
    try Files.unlink(path)
    #expect(try !file.append([record(2)]))
    #expect(try file.replace { [record(2)] })
    #expect(try file.append([record(3)]))
    #expect(try LedgerAppender(path).replace { [record(4)] })
    #expect(try !file.append([record(5)]))
    #expect(try LedgerFile.read(path)?.records == [record(4)])
  }

  @Test func `a parent writes where there is no file yet`() throws {
    try LedgerAppender(path).appendBesideDaemon([end(1)])
    let found = try #require(try LedgerFile.read(path))
    #expect(found.records == [end(1)] && found.isOfThisBoot)
  }

  @Test func `what a parent has appended is seen, and taken before the file is replaced`() throws {
    let file = LedgerAppender(path)
    #expect(try file.replace { [record(1)] })
    #expect(try !file.hasGrown())
    try LedgerAppender(path).appendBesideDaemon([end(2)])
    #expect(try file.hasGrown())
    #expect(try file.append([record(3)]))
    #expect(try file.hasGrown())
    var taken: [LedgerRecord] = []
    #expect(try file.replace(taking: { taken = $0.records }) { [record(1), end(2)] })
    #expect(taken == [record(1), end(2), record(3)])
    #expect(try !file.hasGrown())
  }

  @Test func `the file is not replaced while a parent writes`() throws {
    let file = LedgerAppender(path)
    #expect(try file.replace { [record(1)] })
    let parent = DescriptorBox(try Files.openOwnShared(path))
    #expect(try Files.takeLock(parent.raw))
    #expect(try !file.replace { [] })
    #expect(try file.append([record(2)]))
    Files.giveLockBack(parent.raw)
    #expect(try file.replace { [record(3)] })
  }

  /// A parent whose machine is busy finds the lock taken for long.
  private static func insist(_ record: LedgerRecord, at path: String) {
    while (try? LedgerAppender(path).appendBesideDaemon([record])) == nil {}
  }

  /// Parents append in their own threads while the daemon replaces the file and appends: each record is in
  /// the file, or was taken from it, once.
  @Test func `no record is lost when a file is replaced while parents append`() async throws {
    let (path, parents, each) = (path, 4, 100)
    let file = LedgerAppender(path)
    #expect(try file.replace { [] })
    var known: [LedgerRecord] = [], own = 0
    try await withThrowingTaskGroup(of: Void.self) { group in
      for parent in 0..<parents {
        group.addTask {
          for number in 0..<each {
            Self.insist(
              .exited(
                EndEntry(
                  name: "p", at: 1, process: ProcessIdentity(pid: Int32(parent), start: UInt64(number)))),
              at: path)
          }
        }
      }
      while known.count(where: { if case .exited = $0 { true } else { false } }) < parents * each {
        own += 1
        #expect(try file.append([record(own)]))
        _ = try file.replace(taking: { known = $0.records }) { known }
        await Task.yield()
      }
      try await group.waitForAll()
    }
    #expect(known.count == parents * each + own)
    #expect(Set(known.map { "\($0)" }).count == known.count)
  }

  @Test func `two processes that append at once mix no lines`() async throws {
    let path = path
    #expect(try LedgerAppender(path).replace { [] })
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<2 {
        group.addTask {
          for number in 0..<200 {
            Self.insist(.uninstalled(name: "p\(1000 * writer + number)"), at: path)
          }
        }
      }
    }
    let found = try #require(try LedgerFile.read(path))
    #expect(found.faults.isEmpty && found.records.count == 400)
    #expect(Set(found.records.map { "\($0)" }).count == 400)
  }
}
