import Fuzzing
import LullEngine

@testable import LullAudio
@testable import LullRing
@testable import LullSystem

/// One or two hostile rings that are played.
final class HostilePlay {
  private let sink: FakeSink
  private let renderer: Renderer
  private var rings: [HostileRing] = []
  private var now: Int64 = 1_000_000_000

  init?(_ source: inout ByteSource) throws(SystemError) {
    let device = FakeSink(
      rate: source.pick([44_100, 48_000]), channels: source.pick([1, 2, 6]), buffer: source.pick([480, 4800]))
    device.rewinds = source.flag()
    sink = device
    renderer = Renderer(
      audience: Audience(report: { _ in }), open: { _ throws(SinkError) in device }, report: { _ in })
    for number in 0..<1 + source.byte() % 2 {
      guard let ring = try HostileRing(&source) else { return nil }
      var request = ring.request
      request.id = UInt64(number)
      request.program = UInt64(source.byte() % 2)
      rings.append(ring)
      let session = PlaySession(request, ring: ring.server, doorbell: ring.doorbell)
      if let session { renderer.add(session) }
    }
  }

  func run(_ source: inout ByteSource) throws(Flaw) {
    var steps = 0
    while !source.isEmpty, steps < 60 {
      steps += 1
      act(&source)
      let next = renderer.pass(now: now)
      try hold(next.map { $0 > now } ?? true, "the next pass is due before this one")
      for session in renderer.sessions {
        try hold(session.moved <= session.written, "more is heard than was written")
        try hold(session.moved < RingServer.positionLimit << 1, "a position that no session comes to")
      }
    }
  }

  private func act(_ source: inout ByteSource) {
    let ring = rings[Int(source.byte()) % rings.count]
    switch source.byte() % 8 {
    case 0, 1: ring.setWord(&source)
    case 2: ring.setTransport(&source)
    case 3:
      ring.setTransport(&source)
      unsafe ring.memory.base.storeBytes(
        of: ring.server.moved &+ UInt64(ring.server.capacity), toByteOffset: 0, as: UInt64.self)
    case 4: renderer.order(UInt64(source.byte() % 3), source.pick(AudioOrder.allCases), now: now)
    case 5:
      sink.nextFailure = (
        source.pick(FakeSink.Call.allCases), source.pick([.ranDry, .suspended, .gone("it is gone")])
      )
    case 6: renderer.remove(UInt64(source.byte() % 3), now: now)
    default: break
    }
    let milliseconds = Int(source.byte())
    now += Int64(milliseconds) * 1_000_000
    sink.play(sink.format.rate * milliseconds / 1000)
  }
}
