import LullModel
import LullSystem
import TestSupport
import Testing

@testable import LullChannel

@Suite(.bounded) struct LeftoverRecordTests {
  private func record(_ text: String) -> LeftoverRecord { LeftoverRecord(Array(text.utf8)) }

  @Test func `what is written is read`() throws {
    var record = LeftoverRecord()
    record.boot = "here"
    record.roots = ["/sys/fs/cgroup/a b/lull-1f"]
    record.watchers = [ProcessIdentity(pid: 7, start: 9)]
    let process = ProcessIdentity(pid: 8, start: .max)
    record.processes = [process]
    record.scores = [ScoreRecord(process: process, old: -17, raised: 583)]
    #expect(LeftoverRecord(record.bytes) == record)
  }

  @Test(arguments: [
    "5 1 0", "5 1 0 600 1", "5 1 600 600", "5 1 600 0", "5 1 -1001 0", "5 1 0 1001", "1 1 0 600", "5 x 0 600",
  ])
  func `a score that nobody can have had is none`(text: String) {
    #expect(record("score \(text)\n") == LeftoverRecord())
  }

  @Test func `a score is put back, unless somebody has changed it since`() throws {
    let program = try Child(SpawnRequest(["sleep", "1000"]))
    let (process, old) = (try ProcessIdentity.current(program.pid), try OOMScore.value(of: program.pid))
    let score = ScoreRecord(process: process, old: old, raised: old + 3)
    for (now, then) in [(old + 3, old), (old + 2, old + 2)] {
      _ = try OOMScore.change(of: program.pid) { _ in now }
      ScoreRecord.putBack([score])
      #expect(try OOMScore.value(of: program.pid) == then)
    }
  }

  @Test(arguments: [
    "", "\n\n", "process 5 1", "process 5", "\0\u{FF}\n", "process 5 1 1\n", "process +5 -1\n",
  ])
  func `what is torn or damaged says nothing`(text: String) {
    #expect(record(text) == LeftoverRecord())
  }

  @Test func `the lines before a torn one are read`() {
    #expect(record("process 5 1\nprocess 6 12").processes == [ProcessIdentity(pid: 5, start: 1)])
  }

  @Test(arguments: ["0", "-1", "1", "-2147483648", "4294967297"])
  func `no number that means many processes, or the first one`(pid: String) {
    #expect(record("process \(pid) 1\nwatcher \(pid) 1\n") == LeftoverRecord())
  }

  @Test(arguments: [
    "/", "/sys/fs/cgroup", "lull-1", "/a/../lull-1", "/a/lull-", "/a/lull-xyz", "/a/lull-1/",
    "/a/lull-12345678901234567",
  ])
  func `a root is a daemon's directory and nothing else`(root: String) {
    #expect(record("root \(root)\n").roots.isEmpty)
  }

  @Test func `a number that was given again is another process`() throws {
    let own = try ProcessIdentity.current(Identity.pid())
    #expect(own.exists)
    let earlier = ProcessIdentity(pid: own.pid, start: own.start - 1)
    #expect(!earlier.exists)
    #expect(earlier.open() == nil)
    var released = Leftovers.Released()
    #expect(Leftovers.release(earlier, &released))
    #expect(released.isEmpty)
  }

  @Test func `processes of another boot are none`() throws {
    let folder = "/tmp/lull-boot-\(Identity.pid())"
    try RuntimeDirectory.ensure(folder)
    defer { _ = try? Files.unlink("\(folder)/leftovers") }
    let leftovers = Leftovers(directory: folder)
    try leftovers.begin(root: "/sys/fs/cgroup/lull-1")
    var record = try #require(leftovers.record())
    #expect(record.watchers.count == 1)
    record.boot = "another"
    try Files.replace("\(folder)/leftovers", with: record.bytes)
    record = try #require(leftovers.record())
    #expect(record.watchers.isEmpty && record.roots == ["/sys/fs/cgroup/lull-1"])
  }

  @Test func `the file is appended to, bounded, and never followed elsewhere`() throws {
    let folder = "/tmp/lull-record-\(Identity.pid())"
    try RuntimeDirectory.ensure(folder)
    defer { _ = try? Files.unlink("\(folder)/leftovers") }
    let leftovers = Leftovers(directory: folder)
    let (root, gone) = ("\(folder)/lull-1", "\(folder)/lull-2")
    try RuntimeDirectory.ensure(root)
    try leftovers.begin(root: root)
    let file = try LeftoverFile(directory: folder)
    for _ in 1...2 { try file.note(root: gone) }
    #expect(leftovers.record()?.roots == [root, gone])
    for start in 1...5000 {
      try file.note(process: ProcessIdentity(pid: Identity.pid(), start: UInt64(start)))
    }
    let own = try ProcessIdentity.current(Identity.pid())
    try file.note(process: own)
    let record = try #require(leftovers.record())
    #expect(record.roots == [root] && record.watchers == [own])
    #expect(record.processes.last == own && record.processes.count < 1100)
  }

  @Test func `a file without a name takes nothing that nobody would find`() throws {
    let folder = "/tmp/lull-unnamed-record-\(Identity.pid())"
    try RuntimeDirectory.ensure(folder)
    try Leftovers(directory: folder).begin(root: nil)
    let file = try LeftoverFile(directory: folder)
    let own = try ProcessIdentity.current(Identity.pid())
    try file.note(process: own)
    try Files.unlink("\(folder)/leftovers")
    let error = #expect(throws: SystemError.self) { try file.note(process: own) }
    #expect(error?.isNoSuchFile == true)
  }
}
