import Glibc
import LullChannel
import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The ledger's owner, with real files.
@Suite(.bounded) struct LedgerStoreTests {
  private let folder: TemporaryDirectory
  private let journal = Journal()
  private var path: String { "\(folder.path)/ledger" }
  private var state: String { "\(folder.path)/state" }

  init() throws { folder = try TemporaryDirectory() }

  private func store(_ policy: SupervisionPolicy = SupervisionPolicy()) -> LedgerStore {
    let store = LedgerStore(path: path, directory: state, policy, journal)
    store.begin(isAfterFault: false)
    return store
  }

  private func program(_ name: String, _ pid: Int32 = 7) -> ProgramEntry {
    ProgramEntry(
      name: name, process: ProcessIdentity(pid: pid, start: 1), suspension: .cgroup,
      command: CommandEntry(run: "run", words: name))
  }

  private func copied() throws -> [LedgerRecord] {
    try LedgerFile.read("\(state)/ledger")?.records ?? []
  }

  private var told: [String] { journal.numbers(last: .max).compactMap { journal[$0]?.what } }

  @Test func `what is noted is there for the next daemon, without any other word`() {
    let first = store()
    first.note(.program(program("phone")))
    first.note(.installed(InstalledEntry(name: "phone", state: .running, cause: .boot)))
    first.note(.quiet(true))
    let next = store()
    #expect(next.isSameBoot && next.predecessor.supervisor == .begun && next.predecessor.isQuiet)
    #expect(next.predecessor.program("phone") == program("phone"))
    #expect(next.predecessor.installed("phone")?.cause == .boot)
  }

  @Test func `a line that was torn is passed over, and the next one is whole`() throws {
    store().note(.quiet(true))
    let file = DescriptorBox(try Files.openForAppending(path))
    try StandardStreams.write(Array("installed name=phone sta".utf8), to: file.raw)
    let next = store()
    #expect(next.predecessor.isQuiet && next.predecessor.installed.isEmpty)
    next.note(.installed(InstalledEntry(name: "radio", state: .quit)))
    #expect(store().predecessor.installed("radio")?.state == .quit)
  }

  @Test func `a quit whose line cannot be read is taken from the copy`() throws {
    let first = store()
    first.note(.installed(InstalledEntry(name: "radio", state: .quit)))
    first.note(.installed(InstalledEntry(name: "phone", state: .running)))
    first.finish(isOver: false) { _ in false }
    let text = String(decoding: try Files.read(path, limit: 1 << 16), as: UTF8.self)
    let lines = text.split(separator: "\n").map { $0.contains("name=radio") ? "\u{1}" : String($0) }
    let file = DescriptorBox(try Files.openForAppending(path))
    try Files.truncate(file.raw, to: 0)
    try StandardStreams.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: file.raw)
    let next = store()
    #expect(next.predecessor.installed("radio")?.state == .quit && next.predecessor.installed("phone") != nil)
    #expect(told.contains("ledger-unread"))
  }

  @Test func `the file stays small`() throws {
    var policy = SupervisionPolicy()
    policy.ledgerSize = 2000
    let store = store(policy)
    for number in 0..<500 {
      store.note(.installed(InstalledEntry(name: "phone", state: .running, restarts: Int64(number))))
    }
    #expect(try Files.readOwn(path, limit: 1 << 20).count < 8000)
    #expect(self.store().predecessor.installed("phone")?.restarts == 499)
  }

  @Test func `an end that a parent has written is heard, also while a record is written`() throws {
    let store = store()
    store.note(.program(program("phone")))
    let end = EndEntry(
      name: "phone", at: 5, process: program("phone").process, status: .exited(3), reason: OpenWord(.crashed))
    try LedgerAppender(path).appendBesideDaemon([.exited(end)])
    store.note(.quiet(true))
    store.hearParents()
    #expect(store.ledger.program("phone")?.exit == end)
    #expect(self.store().predecessor.program("phone")?.exit == end)
  }

  @Test func `a file that was removed is written anew`() throws {
    let store = store()
    store.note(.program(program("phone")))
    try Files.unlink(path)
    store.note(.quiet(true))
    let next = self.store()
    #expect(next.predecessor.program("phone") != nil && next.predecessor.isQuiet)
  }

  @Test func `a program that was quit is on the disk at once, and one that is restarted is not quit there`()
    throws
  {
    let store = store()
    store.note([
      InstalledEntry(name: "phone", state: .running), InstalledEntry(name: "radio", state: .running),
    ])
    store.wasQuit("phone", restarts: false)
    store.wasQuit("radio", restarts: true)
    store.note([InstalledEntry(name: "phone", state: .quit), InstalledEntry(name: "radio", state: .quit)])
    #expect(store.state == .pending)
    try eventually("it is not written") {
      store.work(at: store.deadline ?? 0) { _ in false }
      return store.state == .written
    }
    let states = Ledger(try copied()).installed.map(\.state)
    #expect(states == [.quit, .running])
  }

  @Test func `what was read from the disk is on the disk, and what is missing there is not`() throws {
    let first = store()
    first.note([InstalledEntry(name: "phone", state: .running)])
    first.finish(isOver: false) { _ in false }
    first.note([InstalledEntry(name: "phone", state: .quit)])
    let next = store()
    #expect(next.state == .pending)
    next.finish(isOver: false) { _ in false }
    let last = store()
    last.note(.quiet(true))
    #expect(last.state == .written && last.ledger.installed("phone")?.state == .quit)
  }

  @Test func `an end of which the status alone is known is told by it`() {
    func word(_ status: ExitStatus) -> EndReason? {
      Ledger([.ended(EndEntry(name: "phone", at: 0, status: status))]).ends[0].reason?.known
    }
    #expect(word(.signaled(9)) == .crashed && word(.signaled(15)) == .terminated)
    #expect(word(.exited(0)) == .exited && word(.unknown) == nil)
  }

  @Test func `a disk that cannot be written is said once, and tried again`() throws {
    try Files.makeDirectories(state)
    // A folder in its place: the rename fails, in the thread.
    try Files.makeDirectory("\(state)/ledger")
    let store = store()
    store.note(.quiet(true))
    try eventually("the failure is not asked for") {
      if let deadline = store.deadline { store.work(at: deadline) { _ in false } }
      return told.contains("ledger-unwritten")
    }
    #expect(unsafe rmdir("\(state)/ledger") == 0)
    store.finish(isOver: true) { _ in false }
    #expect(try copied().contains(.quiet(true)))
    #expect(told.filter { $0 == "ledger-unwritten" }.count == 1)
  }

  @Test func `the copy stands in for a runtime directory that is gone, and has no processes`() throws {
    let first = store()
    first.note(.program(program("phone")))
    first.note(.installed(InstalledEntry(name: "phone", state: .quit)))
    first.finish(isOver: false) { _ in false }
    try Files.unlink(path)
    let next = store()
    #expect(next.isSameBoot && next.predecessor.supervisor == .begun)
    #expect(next.predecessor.programs.isEmpty && next.predecessor.installed("phone")?.state == .quit)
  }

  @Test func `what cannot be read is told with its place, and the rest is used`() throws {
    store().note(.quiet(true))
    let bytes = try Files.readOwn(path, limit: 1 << 20)
    try Files.replace(path, with: bytes + Array("nonsense a=1\ninstalled name=phone state=quit\n".utf8))
    let next = store()
    #expect(next.predecessor.isQuiet && next.predecessor.installed("phone")?.state == .quit)
    #expect(told == ["ledger-unread"])
  }
}
