import LullRing
import LullSystem
import TestSupport
import Testing

@testable import Lull

/// lull-audio's half, played by the test: the ring and the doorbell that a session has sent.
final class FakePlayer {
  let ring: RingServer
  /// The identities of the memory and of the socket.
  let memory: FileIdentity
  private let doorbell: DescriptorBox
  private var buffer = ReceiveBuffer(capacity: 256)

  init(_ it: Managed, capacity: Int, frameBytes: Int) throws {
    let (memory, doorbell) = try #require(it.daemon.takeSound())
    let file = DescriptorBox(Descriptor(owning: memory))
    self.doorbell = DescriptorBox(Descriptor(owning: doorbell))
    self.memory = try FileIdentity.of(file.raw)
    let count = RingServer.headerBytes + capacity * frameBytes
    let shared = try SharedMemory(received: file.raw, count: count)
    ring = try #require(RingServer(shared, capacity: capacity, frameBytes: frameBytes))
  }

  /// Sets the state, and rings the doorbell.
  func enter(_ state: SessionState, moved: UInt64? = nil) {
    if let moved { move(to: moved) }
    ring.setState(state)
    ringDoorbell()
  }

  func move(to position: UInt64) { ring.setMoved(position, at: Clock.boottime()) }

  func ringDoorbell() { _ = try? Socket.write(doorbell.raw, [1]) }

  /// True when the program has rung the doorbell since the last check.
  func wasRung() throws -> Bool {
    guard case .bytes = try Socket.read(doorbell.raw, into: &buffer) else { return false }
    return true
  }

  func close() { doorbell.close() }

  /// The bytes of frames in the ring.
  func frames(from position: Int, count: Int) -> [UInt8] {
    (position..<position + count).flatMap { frame in
      (0..<ring.frameBytes).map { byte in
        unsafe ring.frames.load(
          fromByteOffset: frame % ring.capacity * ring.frameBytes + byte, as: UInt8.self)
      }
    }
  }

  /// Writes captured frames into the ring.
  func capture(_ bytes: [UInt8]) {
    let start = Int(ring.moved)
    for (offset, byte) in bytes.enumerated() {
      let frame = (start + offset / ring.frameBytes) % ring.capacity
      unsafe ring.frames.storeBytes(
        of: byte, toByteOffset: frame * ring.frameBytes + offset % ring.frameBytes, as: UInt8.self)
    }
    move(to: UInt64(start + bytes.count / ring.frameBytes))
  }
}

extension AudioSession {
  /// Writes frames from an array; returns the number that was taken.
  func write(_ bytes: [UInt8]) -> Int { unsafe bytes.withUnsafeBytes { unsafe write($0) } }

  /// Reads bytes up to a limit.
  func read(atMost count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let frames = unsafe bytes.withUnsafeMutableBytes { unsafe read(into: $0) }
    return Array(bytes.prefix(frames * format.frameBytes))
  }
}
