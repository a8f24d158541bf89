import Glibc
import LullSystem
import Synchronization
import Testing

import enum LullSystem.ExitStatus

private let serial = Atomic<Int>(0)

/// A cgroup of its own for one test; at its end everything in it is killed and it is removed.
final class TestCgroup {
  let cgroup: Cgroup

  init(below parent: TestCgroup? = nil) throws {
    let root = try parent?.cgroup.path ?? CgroupMount.find()
    let number = serial.wrappingAdd(1, ordering: .relaxed).newValue
    do {
      cgroup = try Cgroup.create(at: "\(root)/lull-test-\(getpid())-\(number)")
    } catch {
      Issue.record("these tests need the right to make cgroups in \(root): \(error)")
      throw error
    }
  }

  deinit {
    try? cgroup.killAll()
    try? cgroup.thaw()
    let end = Clock.boottime() + Int64(patience) * 1_000_000
    while (try? cgroup.state().populated) == true, Clock.boottime() < end {
      _ = try? Socket.poll(cgroup.events, .priority, timeoutMilliseconds: 20)
    }
    try? cgroup.remove()
  }

  /// Freezes and reads the state again until it is confirmed.
  func freeze() throws {
    try cgroup.freeze()
    try confirm(frozen: true)
  }

  /// Reads the state again until it is as wanted.
  func confirm(frozen: Bool) throws {
    let end = Clock.boottime() + Int64(patience) * 1_000_000
    while try cgroup.state().frozen != frozen {
      try #require(Clock.boottime() < end, "the cgroup did not become frozen \(frozen)")
      sched_yield()
    }
  }
}

/// A program that was started and runs; killed and reaped at its end.
final class Program {
  let pid: Int32
  private let descriptor: Descriptor
  private(set) var status: ExitStatus?

  init(_ request: SpawnRequest) throws {
    let spawned = try Process.spawn(request)
    pid = spawned.pid
    descriptor = spawned.pidfd
    _ = try ready(spawned.execStatus.raw, .readable, "the child neither ran nor failed")
    #expect(try Process.execResult(spawned.execStatus.raw) == .started)
  }

  /// A program in a cgroup, with some of its standard descriptors.
  convenience init(_ arguments: [String], in cgroup: TestCgroup, input: Int32? = nil, output: Int32? = nil)
    throws
  {
    var request = SpawnRequest(arguments)
    request.cgroup = cgroup.cgroup.directory
    request.standardInput = input
    request.standardOutput = output
    try self.init(request)
  }

  deinit {
    guard status == nil else { return }
    try? Process.sendSignal(descriptor.raw, Signal.kill)
    _ = try? Socket.poll(descriptor.raw, .readable, timeoutMilliseconds: patience)
    _ = try? Process.waitStatus(descriptor.raw)
  }

  var pidfd: Int32 { descriptor.raw }

  /// Reads the kernel's state of the process again until it sleeps in a system call.
  func awaitSleep() throws {
    let end = Clock.boottime() + Int64(patience) * 1_000_000
    while try !String(decoding: Files.read("/proc/\(pid)/stat", limit: 4096), as: UTF8.self).contains(") S ")
    {
      try #require(Clock.boottime() < end, "the program did not fall asleep")
      sched_yield()
    }
  }

  /// Waits for its end and takes its status.
  @discardableResult
  func end() throws -> ExitStatus {
    _ = try ready(descriptor.raw, .readable, "the program did not end")
    let ended = try #require(try Process.waitStatus(descriptor.raw))
    status = ended
    return ended
  }
}

/// Runs a program to its end and returns what it wrote.
func output(of request: SpawnRequest) throws -> [UInt8] {
  let (here, there) = try UnixSocket.pair()
  var request = request
  request.standardOutput = there.raw
  let program = try Program(request)
  there.close()
  let bytes = try readAll(here.raw)
  #expect(try program.end() == .exited(0))
  return bytes
}
