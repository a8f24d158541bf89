import CLinux
import Glibc
import LullSystem
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

  /// Freezes it and says whether it is idle; asks up to five times, because on a loaded machine a thread that is
  /// looked at may not get a processor in time.
  func frozenIdleness() throws -> Idleness {
    try group.freeze()
    var idleness = try Process.idleness(of: pid)
    for _ in 0..<4 {
      guard case .busy = idleness else { break }
      idleness = try Process.idleness(of: pid)
    }
    return idleness
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
