import CLinux
import Glibc
import Testing

@testable import LullSystem

/// A program in a cgroup of its own that stands in the call that the test names (see Tests/Support/sleeper).
final class WaitingProgram {
  let group: TestCgroup
  let program: Program
  /// The other end of its input and output.
  let channel: DescriptorBox

  /// Returns when the call is made and all its threads sleep, unless they never do.
  init(_ call: String, _ milliseconds: Int = -1, word: Int32? = nil, bytes: Int = 1, sleeps: Bool = true)
    throws
  {
    let (here, there) = try UnixSocket.pair()
    let own = try Process.executablePath()
    let path = try own[..<#require(own.lastIndex(of: "/"))] + "/sleeper"
    try #require(Files.exists(String(path)), "\(path) is not built")
    var request = SpawnRequest([String(path), call, "\(milliseconds)"])
    group = try TestCgroup()
    request.cgroup = group.cgroup.directory
    request.standardInput = there.raw
    request.standardOutput = there.raw
    if let word { request.passed = [.init(word, as: 3)] }
    program = try Program(request)
    channel = here
    there.close()
    if bytes > 0 { _ = try receive(bytes, from: here.raw) }
    if sleeps { try awaitSleep() }
  }

  var pid: Int32 { program.pid }

  /// Reads the kernel's state of every thread again until all of them sleep or have ended.
  func awaitSleep() throws {
    try eventually("not every thread fell asleep") {
      try Files.subdirectories(of: "/proc/\(pid)/task").allSatisfy { thread in
        let text = try Files.read("/proc/\(pid)/task/\(thread)/stat", limit: 4096)
        let stat = String(decoding: text, as: UTF8.self)
        return stat.contains(") S ") || stat.contains(") Z ")
      }
    }
  }
}

/// A program in a cgroup with two pipes for input and output.
final class PipedProgram {
  let group: TestCgroup
  let program: Program
  let input: DescriptorBox
  let output: DescriptorBox

  init(_ arguments: [String]) throws {
    let (toProgram, fromProgram) = (try pipePair(), try pipePair())
    group = try TestCgroup()
    program = try Program(arguments, in: group, input: toProgram.reader.raw, output: fromProgram.writer.raw)
    input = toProgram.writer
    output = fromProgram.reader
  }

  func write(_ bytes: [UInt8]) throws {
    try #require(unsafe Glibc.write(input.raw, bytes, bytes.count) == bytes.count)
  }

  /// Takes what the program wrote, after waiting for the first byte.
  func read() throws -> Int {
    _ = try ready(output.raw, .readable)
    var room = [UInt8](repeating: 0, count: 4096)
    return unsafe Glibc.read(output.raw, &room, room.count)
  }
}

/// The ends of a pipe, closed on exec.
func pipePair() throws -> (reader: DescriptorBox, writer: DescriptorBox) {
  var ends: [Int32] = [-1, -1]
  try #require(unsafe clinux_pipe(&ends) == 0)
  return (DescriptorBox(Descriptor(owning: ends[0])), DescriptorBox(Descriptor(owning: ends[1])))
}

/// What its threads wait for.
extension WaitingProgram {
  /// Freezes it and tells all its threads.
  func frozenWaits() throws -> [ThreadState] {
    try group.freeze()
    return try waits()
  }

  /// Tells the threads of the program as it is, by a new memory.
  func waits() throws -> [ThreadState] {
    var memory = WaitMemory()
    return try Process.waits(of: pid, memory: &memory)
  }

  /// Freezes it and tells its only thread.
  func frozenWait() throws -> ThreadState {
    var memory = WaitMemory()
    return try frozenWait(&memory)
  }

  func frozenWait(_ memory: inout WaitMemory) throws -> ThreadState {
    try group.freeze()
    let states = try Process.waits(of: pid, memory: &memory)
    try #require(states.count == 1)
    return states[0]
  }

  /// Looks up to five times, because on a loaded machine the thread may not get a processor in time.
  func expectNothingInHand(_ thread: Int32) throws {
    let found = try (0..<5).contains { _ in try Process.look(at: [thread]) == nil }
    #expect(found, "it has something in its hands")
  }
}

/// The four bytes of a futex in memory that a program shares with the test.
struct FutexWord: ~Copyable {
  private let file: Descriptor

  init() throws {
    file = Descriptor(owning: unsafe clinux_memfd("futex"))
    try #require(ftruncate(file.raw, 4096) == 0)
  }

  var raw: Int32 { file.raw }

  func set(_ value: UInt32) throws {
    var value = value
    try #require(unsafe pwrite(file.raw, &value, 4, 0) == 4)
  }
}
