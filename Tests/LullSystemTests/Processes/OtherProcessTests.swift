import Glibc
import TestSupport
import Testing

@testable import LullSystem

@Suite(.bounded) struct OtherProcessTests {
  @Test func `what stands on the line of a process is read behind its name`() throws {
    let fields = (5...21).map { "\($0)" }.joined(separator: " ")
    let entry = try #require(ProcessEntry(pid: 9, stat: Array("9 (a) T 1 (b) Z 3 4 \(fields) 22 23".utf8)))
    #expect(entry.parent == 3 && entry.group == 4 && entry.isZombie && entry.identity.start == 21)
    #expect(ProcessEntry(pid: 9, stat: Array("9 (a) T 1".utf8)) == nil)
  }

  @Test func `a child in another cgroup is still a child`() throws {
    let sleeper = try WaitingProgram("wait4")
    let child = try #require(try Process.children(of: sleeper.pid).first)
    #expect(try Process.parentPid(of: child) == sleeper.pid)
    let other = try TestCgroup()
    try other.cgroup.move(child)
    #expect(try Process.children(of: sleeper.pid) == [child])
    #expect(try sleeper.group.cgroup.processes() == [sleeper.pid])
    try Process.kill(child, Signal.kill)
    try sleeper.program.end()
    #expect(try Process.children(of: sleeper.pid) == [])
  }

  @Test func `a duplicate of a descriptor is the same file, another one is not`() throws {
    let sleeper = try WaitingProgram("set", 1)
    let copy = try Process.getDescriptor(sleeper.program.pidfd, number: 20)
    #expect(Process.isSame(copy.raw, as: 20, of: sleeper.pid))
    #expect(!Process.isSame(copy.raw, as: 0, of: sleeper.pid))
    #expect(!Process.isSame(copy.raw, as: 900, of: sleeper.pid))
  }

  @Test func `the command of a process, its start and the signals that wait for it are read`() throws {
    let before = Double(Clock.realtime()) / 1e9
    let words = ["sh", "-c", "kill -STOP $$; exit", "", "a b"]
    let child = try Child(SpawnRequest(words))
    let start = try Process.startMoment(of: child.pid)
    #expect(abs(start - before) < 60, "\(start) is far from \(before)")
    try eventually("it does not stop") { try Process.isStopped(child.pid) }
    #expect(Process.commandWords(of: child.pid) == words)
    #expect(Process.waitingSignals(of: child.pid) == [])
    // By default nothing happens for a change of the terminal's size.
    for signal in [Signal.terminate, Signal.windowChange, Signal.hangUp] { try child.signal(signal) }
    #expect(Process.waitingSignals(of: child.pid) == [Signal.hangUp, Signal.terminate])
    try Process.kill(child.pid, Signal.kill)
    try child.end()
    #expect(Process.waitingSignals(of: child.pid) == [] && Process.commandWords(of: child.pid) == [])
  }

  @Test func `the tracer of a process is told, unless it is a thread of this one`() throws {
    let child = try Child(SpawnRequest(["sleep", "100"]))
    #expect(try Process.tracer(of: child.pid) == nil)
    let tracer = try Child(SpawnRequest(["strace", "-o", "/dev/null", "-p", "\(child.pid)"]))
    try eventually("it is not traced") { try Process.tracer(of: child.pid) == tracer.pid }
    // It detaches.
    try tracer.signal(Signal.terminate)
    try tracer.end()
    #expect(try Process.tracer(of: child.pid) == nil)
    try child.signal(Signal.kill)
    try child.end()
    #expect(throws: SystemError.self) { try Process.tracer(of: child.pid) }
  }

  @Test(arguments: [(1, ["x", ""]), (2, ["x"]), (3, ["x"])])
  func `what a title has left behind it is no word`(empty: Int, rest: [String]) throws {
    let script = "kill -STOP $$; exit"
    let child = try Child(SpawnRequest(["sh", "-c", script, "x"] + [String](repeating: "", count: empty)))
    try eventually("it does not stop") { try Process.isStopped(child.pid) }
    #expect(Process.commandWords(of: child.pid) == ["sh", "-c", script] + rest)
    try Process.kill(child.pid, Signal.kill)
    try child.end()
  }

  @Test func `a mapping is told shared or private by the kernel's answer and by its text`() throws {
    let shared = unsafe mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
    defer { unsafe munmap(shared, 4096) }
    let address = UInt64(UInt(bitPattern: shared)) + 8
    var own: UInt32 = 0
    let stack = unsafe withUnsafePointer(to: &own) { UInt64(UInt(bitPattern: $0)) }
    #expect(try mappings(address) == [true, true])
    #expect(try mappings(stack) == [false, false])
    #expect(try mappings(16) == [true, nil])
  }

  private func mappings(_ address: UInt64) throws -> [Bool?] {
    let text = try MemoryMapping.all(of: Identity.pid()).first { $0.range.contains(address) }
    return [try ProcessMemory.isShared(address, of: Identity.pid()), text?.isShared]
  }
}
