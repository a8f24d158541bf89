import LullSystem
import TestSupport
import Testing

/// Rendering and metering allocate no memory.
@Suite(.bounded) struct AllocationTests {
  /// Without the optimizer each loop allocates memory.
  @Test(.enabled(if: Identity.environment("LULL_BIN") != nil, "LULL_BIN names no release build"))
  func `a pass that takes back, plays, meters and mixes allocates nothing`() throws {
    let folder = try #require(Identity.environment("LULL_BIN"))
    let (here, there) = try UnixSocket.pair()
    var request = SpawnRequest(["\(folder)/render-probe"])
    request.standardOutput = there.raw
    let child = try Child(request)
    there.close()
    #expect(try child.end() == .exited(0))
    var buffer = ReceiveBuffer(capacity: 256)
    _ = try Socket.read(here.raw, into: &buffer)
    let said = String(decoding: buffer.received, as: UTF8.self)
    #expect(said == "0 allocations in 80 passes\n", "\(said)")
  }
}
