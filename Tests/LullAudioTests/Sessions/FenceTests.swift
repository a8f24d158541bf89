import LullAudio
import LullRing
import TestSupport
import Testing

/// A program rings only when it sees that lull-audio does not watch the ring. Frames that it wrote before
/// that must be seen all the same.
@Suite(.bounded) struct FenceTests {
  @Test(arguments: [RingRequest.Transport.play, .drain])
  func `frames that are written between the look at them and the state that asks for a ring are played`(
    transport: RingRequest.Transport
  ) throws {
    let stage = RenderStage()
    let first = try RenderSession(id: 1, lowWater: 1)
    let second = try RenderSession(id: 2)
    for session in [first, second] {
      session.write(12_000) { _ in 0.5 }
      session.setTransport(transport)
      stage.renderer.add(session.session)
    }
    // The first session is reported between the reading of all rings in a pass and the new state of the
    // second.
    stage.onReport = { report in
      if report == .low(1), second.written == 12_000 { second.write(12_000) { _ in 0.25 } }
      if report == .ended(1), second.written == 12_000 { second.write(12_000) { _ in 0.25 } }
    }
    stage.pass()
    stage.run(milliseconds: 3000)
    #expect(second.written == 24_000, "the seam was not met")
    #expect(second.moved == 24_000)
  }
}
