import Fuzzing
import LullEngine

@testable import LullAudio
@testable import LullRing
@testable import LullSystem

/// A ring in which the program writes anything, in lull-audio's fields too, while lull-audio plays and
/// captures; and the same with the sides exchanged.
func fuzzRing(_ bytes: [UInt8]) throws(Flaw) {
  var source = ByteSource(bytes)
  do {
    switch source.byte() % 4 {
    case 0: try HostileCapture(&source)?.run(&source)
    case 1: try fuzzClient(&source)
    default: try HostilePlay(&source)?.run(&source)
    }
  } catch let flaw as Flaw {
    throw flaw
  } catch {
    throw Flaw("\(error)")
  }
}

/// The memory of a ring, with a format that the bytes choose.
struct HostileRing {
  let memory: SharedMemory
  let server: RingServer
  let request: SessionRequest
  let doorbell: Doorbell
  private let other: DescriptorBox

  init?(_ source: inout ByteSource) throws(SystemError) {
    let rate = source.pick([8000, 44_100, 48_000, 192_000])
    guard
      let format = FrameFormat(
        rate: rate, channels: 1 + Int(source.byte() % 8), sample: source.pick(SampleFormat.allCases))
    else { return nil }
    let frames = source.pick([1, 3, 64, 1000, 5000])
    memory = try SharedMemory.create(
      name: "ring", count: RingServer.headerBytes + frames * format.frameBytes
    ).memory
    for index in 0..<128 { unsafe memory.base.storeBytes(of: 0, toByteOffset: index, as: UInt8.self) }
    for index in 0..<frames * format.frameBytes {
      unsafe memory.base.storeBytes(
        of: UInt8(truncatingIfNeeded: index &* 37), toByteOffset: RingServer.headerBytes + index,
        as: UInt8.self)
    }
    request = SessionRequest(
      id: 1, format: format, frames: frames, order: source.pick(AudioOrder.allCases),
      isSpoken: source.flag(), lowWater: source.flag() ? source.number() : nil,
      latency: source.flag() ? 0.5 : Double(bitPattern: source.number()))
    guard let ring = RingServer(memory, capacity: frames, frameBytes: format.frameBytes) else { return nil }
    server = ring
    let (here, there) = try UnixSocket.pair()
    (doorbell, other) = (Doorbell(there), here)
    for _ in 0..<source.byte() % 4 { setWord(&source) }
  }

  /// Gives any word of the 128 bytes of both sides any value, by preference one near the value of another
  /// word.
  func setWord(_ source: inout ByteSource) {
    let offset = 8 * Int(source.byte() % 16)
    let near = UInt64(source.byte() & 7) &- 3
    let capacity = UInt64(server.capacity)
    let values: [UInt64] = [
      near, server.moved &+ near, server.request().written &+ near, capacity &+ near,
      server.moved &+ capacity &+ near, .max &+ near, RingServer.positionLimit &+ near, 1 << 32,
    ]
    let choice = Int(source.byte() % 10)
    let value = choice < values.count ? values[choice] : source.number()
    unsafe memory.base.storeBytes(of: value, toByteOffset: offset, as: UInt64.self)
  }

  /// Writes a sensible `transport`, so that something is played at all.
  func setTransport(_ source: inout ByteSource) {
    let word = source.pick([RingRequest.Transport.stop, .play, .play, .pause, .drain]).rawValue
    unsafe memory.base.storeBytes(of: word, toByteOffset: 24, as: UInt32.self)
    unsafe memory.base.storeBytes(of: Float(1), toByteOffset: 28, as: Float.self)
  }
}
