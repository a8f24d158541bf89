import LullModel
import LullRing
import LullSystem
import TestSupport
import Testing

/// The two ends of one ring, as a program and lull-audio hold them.
@Suite(.bounded) struct RingTests {
  private struct Ends {
    let client: RingClient
    let server: RingServer

    init(capacity: Int = 8, frameBytes: Int = 2) throws {
      client = try RingClient(capacity: capacity, frameBytes: frameBytes)
      let memory = try SharedMemory(
        received: client.descriptor.raw, count: RingServer.headerBytes + capacity * frameBytes)
      server = try #require(RingServer(memory, capacity: capacity, frameBytes: frameBytes))
    }

    func frame(_ position: Int) -> [UInt8] {
      unsafe Array(
        UnsafeRawBufferPointer(start: server.frames + position * client.frameBytes, count: client.frameBytes))
    }

    func write(_ bytes: [UInt8]) -> Int { unsafe bytes.withUnsafeBytes { unsafe client.write($0) } }
  }

  @Test func `a new ring is empty and stopped, at full gain`() throws {
    let ends = try Ends()
    let request = ends.server.request()
    #expect(request.transport == .stop && request.gain == 1 && request.written == 0)
    #expect(ends.client.room == 8 && ends.client.queued == 0 && ends.client.readable == 0)
    #expect(ends.client.state == .idle && ends.client.error == .none)
  }

  @Test func `frames that go round the end stand in their places, and whole ones only`() throws {
    let ends = try Ends()
    #expect(ends.write(Array(1...14)) == 7)
    ends.server.setMoved(6, at: 1)
    #expect(ends.client.queued == 1 && ends.client.room == 7)
    #expect(ends.write([21, 22, 31, 32, 41]) == 2)
    #expect(ends.server.request().written == 9)
    #expect(ends.frame(7) == [21, 22] && ends.frame(0) == [31, 32] && ends.frame(1) == [3, 4])
  }

  @Test func `what was captured over before it was read is passed by`() throws {
    let ends = try Ends(capacity: 4, frameBytes: 1)
    for index in 0..<4 {
      unsafe ends.server.frames.storeBytes(of: UInt8(10 + index), toByteOffset: index, as: UInt8.self)
    }
    ends.server.setMoved(6, at: 1)
    #expect(ends.client.readable == 4)
    var room = [UInt8](repeating: 0, count: 8)
    let count = unsafe room.withUnsafeMutableBytes { unsafe ends.client.read(into: $0) }
    #expect(count == 4 && room.prefix(4) == [12, 13, 10, 11])
    #expect(ends.client.readable == 0 && ends.client.written == 6)
  }

  @Test(arguments: [UInt64(100), .max]) func `a position that makes no sense is the nearest one that does`(
    position: UInt64
  ) throws {
    let ends = try Ends()
    #expect(ends.write([1, 2]) == 1)
    ends.server.setMoved(position, at: 1)
    #expect(ends.client.queued == 0 && ends.client.room == 8 && ends.client.readable == 8)
  }

  @Test func `what one end says the other one hears`() throws {
    let ends = try Ends()
    ends.client.setTransport(.pause)
    ends.client.setGain(.nan)
    ends.client.setDoorbell(at: 5)
    ends.client.setFlushed(3)
    let request = ends.server.request()
    #expect(request.transport == .pause && request.gain == 0)
    #expect(request.doorbellAt == 5 && request.flushed == 3)
    ends.server.setState(.starved)
    ends.server.setError(.noDevice)
    ends.server.setStarved(2)
    ends.server.setMoved(4, at: 77)
    #expect(ends.client.state == .starved && ends.client.error == .noDevice && ends.client.starved == 2)
    #expect(ends.client.movement.position == 4 && ends.client.movement.nanoseconds == 77)
  }

  @Test func `memory of another size is no ring`() throws {
    let ends = try Ends()
    let memory = try SharedMemory(received: ends.client.descriptor.raw, count: RingServer.headerBytes + 16)
    #expect(RingServer(memory, capacity: 8, frameBytes: 1) == nil)
    #expect(throws: SystemError.self) { try SharedMemory(received: ends.client.descriptor.raw, count: 16) }
  }
}

@Suite(.bounded) struct FrameFormatTests {
  @Test func `a format is possible within its limits only`() {
    #expect(FrameFormat(rate: 48_000, channels: 2, sample: .s24)?.frameBytes == 6)
    #expect(FrameFormat(rate: 7_999, channels: 2, sample: .s16) == nil)
    #expect(FrameFormat(rate: 192_001, channels: 2, sample: .s16) == nil)
    #expect(FrameFormat(rate: 48_000, channels: 0, sample: .s16) == nil)
    #expect(FrameFormat(rate: 48_000, channels: 9, sample: .s16) == nil)
  }
}
