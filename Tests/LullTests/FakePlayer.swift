import LullSystem
import Testing

@testable import Lull

/// The half of lull-audio, played by the test: the ring and the bell that a session has sent.
final class FakePlayer {
  let ring: RingServer
  /// Which memory and which socket it is.
  let memory: FileIdentity
  private let bell: DescriptorBox
  private var buffer = ReceiveBuffer(capacity: 256)

  init(_ it: Managed, capacity: Int, frameBytes: Int) throws {
    let (memory, bell) = try #require(it.daemon.takeSound())
    let file = DescriptorBox(Descriptor(owning: memory))
    self.bell = DescriptorBox(Descriptor(owning: bell))
    self.memory = try FileIdentity.of(file.raw)
    let count = RingServer.headerBytes + capacity * frameBytes
    let shared = try SharedMemory(received: file.raw, count: count)
    ring = try #require(RingServer(shared, capacity: capacity, frameBytes: frameBytes))
  }

  /// Says what it does now.
  func enter(_ state: RingState, moved: UInt64? = nil) {
    if let moved { move(to: moved) }
    ring.setState(state)
    ringBell()
  }

  func move(to position: UInt64) { ring.setMoved(position, at: Clock.boottime()) }

  func ringBell() { _ = try? Socket.write(bell.raw, [1]) }

  /// Whether the program has rung since the last look.
  func wasRung() throws -> Bool {
    guard case .bytes = try Socket.read(bell.raw, into: &buffer) else { return false }
    return true
  }

  func close() { bell.close() }

  /// The bytes of frames in the ring.
  func frames(from position: Int, count: Int) -> [UInt8] {
    (position..<position + count).flatMap { frame in
      (0..<ring.frameBytes).map { byte in
        unsafe ring.frames.load(
          fromByteOffset: frame % ring.capacity * ring.frameBytes + byte, as: UInt8.self)
      }
    }
  }

  /// Captures: writes frames into the ring.
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
  /// Writes frames from an array; returns how many were taken.
  func write(_ bytes: [UInt8]) -> Int { unsafe bytes.withUnsafeBytes { unsafe write($0) } }

  /// Reads at most so many bytes.
  func read(atMost count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let frames = unsafe bytes.withUnsafeMutableBytes { unsafe read(into: $0) }
    return Array(bytes.prefix(frames * format.frameBytes))
  }
}
