import Fuzzing

@testable import LullAudio
@testable import LullRing
@testable import LullSystem

/// A hostile ring that is captured into.
final class HostileCapture {
  private final class Device: AudioSource {
    let format: SinkFormat
    var waiting = 0
    var failure: SinkError?

    init(_ format: SinkFormat) { self.format = format }

    func prepare() {}
    func start() {}
    func read(into samples: UnsafeMutablePointer<Float>, frames: Int) throws(SinkError) -> Int {
      if let failure {
        self.failure = nil
        throw failure
      }
      let count = min(frames, waiting)
      unsafe samples.update(repeating: 0.5, count: count * format.channels)
      waiting -= count
      return count
    }
  }

  private let device: Device
  private let capturer: Capturer
  private let ring: HostileRing
  private var now: Int64 = 1_000_000_000

  init?(_ source: inout ByteSource) throws(SystemError) {
    let device = Device(
      SinkFormat(
        device: "fake", rate: source.pick([44_100, 48_000]), channels: source.pick([1, 2, 6]), buffer: 4800,
        margin: 0))
    self.device = device
    capturer = Capturer(open: { _ throws(SinkError) in device }, report: { _ in })
    guard let ring = try HostileRing(&source) else { return nil }
    self.ring = ring
    if let session = CaptureSession(ring.request, ring: ring.server, doorbell: ring.doorbell) {
      capturer.add(session)
    }
  }

  func run(_ source: inout ByteSource) throws(Flaw) {
    var steps = 0
    while !source.isEmpty, steps < 60 {
      steps += 1
      switch source.byte() % 6 {
      case 0, 1: ring.setWord(&source)
      case 2, 3: ring.setTransport(&source)
      case 4: capturer.order(1, source.pick(AudioOrder.allCases), now: now)
      default: device.failure = source.pick([.ranDry, .suspended, .gone("it is gone")])
      }
      let milliseconds = Int(source.byte())
      now += Int64(milliseconds) * 1_000_000
      device.waiting = min(4800, device.waiting + device.format.rate * milliseconds / 1000)
      _ = capturer.pass(now: now)
      for session in capturer.sessions {
        try hold(session.queued <= UInt64(ring.server.capacity), "more waits than the ring holds")
      }
    }
  }
}

/// The program's end of a ring in which lull-audio's fields hold anything.
func fuzzClient(_ source: inout ByteSource) throws(SystemError) {
  let client = try RingClient(capacity: 1 + Int(source.byte()), frameBytes: source.pick([1, 4, 16]))
  var room = [UInt8](repeating: 1, count: 1024)
  while !source.isEmpty {
    let value: UInt64 = source.flag() ? source.number() : client.written &+ UInt64(source.byte()) &- 128
    let offset = 64 + 8 * Int(source.byte() % 8)
    unsafe client.memory.base.storeBytes(of: value, toByteOffset: offset, as: UInt64.self)
    switch source.byte() % 4 {
    case 0: _ = unsafe room.withUnsafeBytes { unsafe client.write($0) }
    case 1: _ = unsafe room.withUnsafeMutableBytes { unsafe client.read(into: $0) }
    case 2: client.setFlushed(value)
    default: _ = (client.queued, client.room, client.readable, client.movement, client.state, client.error)
    }
  }
}
