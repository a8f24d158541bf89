import Glibc
package import LullSystem
import Testing

/// A program in a cgroup with two pipes for input and output.
package final class PipedProgram {
  package let group: TestCgroup
  package let program: Child
  package let input: DescriptorBox
  package let output: DescriptorBox

  package init(_ arguments: [String]) throws {
    let (toProgram, fromProgram) = (try pipePair(), try pipePair())
    group = try TestCgroup()
    program = try Child(arguments, in: group, input: toProgram.reader.raw, output: fromProgram.writer.raw)
    input = toProgram.writer
    output = fromProgram.reader
  }

  package func write(_ bytes: [UInt8]) throws {
    try #require(unsafe Glibc.write(input.raw, bytes, bytes.count) == bytes.count)
  }

  /// Takes the program's output, after waiting for the first byte.
  package func read() throws -> Int {
    _ = try ready(output.raw, .readable)
    var room = [UInt8](repeating: 0, count: 4096)
    return unsafe Glibc.read(output.raw, &room, room.count)
  }
}

/// The ends of a pipe, closed on exec.
package func pipePair() throws -> (reader: DescriptorBox, writer: DescriptorBox) {
  var ends: [Int32] = [-1, -1]
  try #require(unsafe pipe(&ends) == 0)
  for end in ends { try #require(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
  return (DescriptorBox(Descriptor(owning: ends[0])), DescriptorBox(Descriptor(owning: ends[1])))
}
