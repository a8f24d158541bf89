import LullSystem
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// "What must hold" of docs/AUDIBILITY.md, as far as signals can tell it: 30 s each through the meter and the
/// rule, at 8, 16, 44.1, 48, 96 and 192 kHz. Without optimization that takes ten minutes, so a program of the
/// release build does it (`LULL_BIN`); one of a debug build measures at 16 kHz alone.
@Suite(.bounded(seconds: 300)) struct AudibilityTableTests {
  @Test func `every row of the table holds at every rate`() throws {
    let (here, there) = try UnixSocket.pair()
    var request = SpawnRequest([try Built.program("audibility-table")])
    request.standardOutput = there.raw
    let child = try Child(request)
    there.close()
    let rows = try lines(here)
    #expect(try child.end() == .exited(0))
    #expect(rows.filter { $0.contains("FAILS") } == [])
    #expect(rows.count > 50)
  }

  /// The rows that the program prints.
  private func lines(_ output: DescriptorBox) throws -> [String] {
    var text: [UInt8] = []
    var buffer = ReceiveBuffer(capacity: 4096)
    while true {
      try ready(output.raw, .readable, "audibility-table takes too long over a row")
      guard case .bytes = try Socket.read(output.raw, into: &buffer) else { break }
      text += buffer.received
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map { String($0) }
  }
}
