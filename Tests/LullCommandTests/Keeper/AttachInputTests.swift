import Glibc
import LullSystem
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct AttachInputTests {
  private let ends: (here: DescriptorBox, there: DescriptorBox)

  init() throws {
    let (here, there) = try UnixSocket.pair()
    ends = (here, there)
  }

  /// Fills the socket, so that the keeper takes nothing.
  private func stick() throws {
    let chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case .sent = try Socket.write(ends.here.raw, chunk) {}
  }

  @Test func `the keys that leave are heard while no other is taken`() throws {
    try stick()
    var input = AttachInput(.usual, isTyped: true)
    let keys = [UInt8](repeating: 0x61, count: 4096)
    for _ in 0..<32 {
      #expect(input.hasRoom)
      input.take(keys[...])
      try input.send(to: ends.here.raw)
    }
    #expect(input.isWaiting)
    #expect(!input.isOver)
    input.take([0x61, 0x1D])
    try input.send(to: ends.here.raw)
    #expect(input.isWaiting)
    #expect(input.isOver)
  }

  @Test func `keys that wait are bounded`() throws {
    var input = AttachInput(.usual, isTyped: true)
    let keys = [UInt8](repeating: 0x61, count: AttachInput.maximum - 1)
    for _ in 0..<3 { input.take(keys[...]) }
    try input.send(to: ends.here.raw)
    var buffer = ReceiveBuffer(capacity: 1 << 16)
    var count = 0
    while case .bytes = try Socket.read(ends.there.raw, into: &buffer) {
      count += buffer.received.count
      try input.send(to: ends.here.raw)
    }
    #expect(count == AttachInput.maximum)
  }

  @Test func `what was typed before the keys that leave is sent`() throws {
    var input = AttachInput(.usual, isTyped: true)
    input.take([0x61, 0x62, 0x1D, 0x63])
    try input.send(to: ends.here.raw)
    #expect(input.isOver)
    var buffer = ReceiveBuffer(capacity: 16)
    _ = try Socket.read(ends.there.raw, into: &buffer)
    #expect(buffer.received == [0x61, 0x62])
  }

  @Test func `input that is not typed waits until it is taken, and its end with it`() throws {
    try stick()
    var input = AttachInput(.usual, isTyped: false)
    input.take([0x61, 0x1D])
    try input.send(to: ends.here.raw)
    #expect(!input.hasRoom)
    input.end()
    #expect(!input.isOver)
    // A child of another test may have the descriptor until it becomes its command.
    #expect(shutdown(ends.there.raw, Int32(SHUT_RDWR)) == 0)
    try input.send(to: ends.here.raw)
    #expect(input.isOver)
  }
}
