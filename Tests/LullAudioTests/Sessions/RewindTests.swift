import LullAudio
import LullRing
import LullSystem
import TestSupport
import Testing

/// A program puts `written` back and writes other frames there.
@Suite(.bounded) struct RewindTests {
  private func old(_ position: UInt64) -> Float { Float(position + 1) / 0x1p20 }
  private func new(_ position: UInt64) -> Float { -old(position) }

  private func left(_ sink: FakeSink) -> [Float] {
    stride(from: 0, to: sink.played.count, by: sink.format.channels).map { sink.played[$0] }
  }

  private func numbered(_ positions: Range<UInt64>, _ sample: (UInt64) -> Float) -> [Float] {
    positions.map(sample)
  }

  /// A session of 24,000 frames, all handed to the device, of which 9600 have been played.
  private func started() throws -> (stage: RenderStage, session: RenderSession) {
    let (stage, session) = (RenderStage(), try RenderSession())
    session.write(24_000, old)
    session.setTransport(.play)
    stage.open(session)
    stage.run(milliseconds: 200)
    return (stage, session)
  }

  @Test(arguments: [(12_000, 24_000, 12_000), (12_000, 12_000, 12_000), (4800, 24_000, 9600)])
  func `What was written over is heard from there on, or from the frame that is heard`(
    place: UInt64, count: Int, heard: UInt64
  ) throws {
    let (stage, session) = try started()
    session.rewind(to: place)
    session.write(count, new)
    session.setTransport(.drain)
    stage.look()
    stage.run(milliseconds: 700)
    let end = place + UInt64(count)
    #expect(session.state == .drained && session.moved == end)
    let isSame = left(stage.sink) == numbered(0..<heard, old) + numbered(heard..<end, new)
    #expect(isSame)
  }

  @Test func `Nothing is heard of what was rewound over and not written again`() throws {
    let (stage, session) = try started()
    session.rewind(to: 12_000)
    stage.look()
    stage.run(milliseconds: 300)
    #expect(session.state == .starved && session.moved == 12_000)
    session.write(4800, new)
    session.setTransport(.drain)
    stage.look()
    stage.run(milliseconds: 300)
    let isSame = left(stage.sink) == numbered(0..<12_000, old) + numbered(12_000..<16_800, new)
    #expect(isSame)
  }

  @Test func `A paused program rewinds`() throws {
    let (stage, session) = try started()
    session.setTransport(.pause)
    stage.look()
    session.rewind(to: 12_000)
    session.write(4800, new)
    stage.look()
    session.setTransport(.drain)
    stage.look()
    stage.run(milliseconds: 300)
    let isSame = left(stage.sink) == numbered(0..<12_000, old) + numbered(12_000..<16_800, new)
    #expect(isSame)
  }
}

extension RenderSession {
  /// Rewinds as the ALSA plugin does.
  fileprivate func rewind(to position: UInt64) {
    goBack(to: position)
    set(read(32, as: UInt32.self) + 1, at: 32)
  }
}
