import LullAudio
import LullSystem
import Testing

/// A program rings only where it sees that nobody looks: what it wrote before it saw that must be seen all the same.
@Suite struct FenceTests {
  @Test(arguments: [RingRequest.Command.play, .drain])
  func `frames that are written between the look at them and the state that asks for a ring are played`(
    command: RingRequest.Command
  ) throws {
    let stage = RenderStage()
    let first = try RenderSession(id: 1, lowWater: 1)
    let second = try RenderSession(id: 2)
    for session in [first, second] {
      session.write(12_000) { _ in 0.5 }
      session.command(command)
      stage.renderer.add(session.session)
    }
    // Between the looks of a pass and the second session's new state the first one's is told.
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
