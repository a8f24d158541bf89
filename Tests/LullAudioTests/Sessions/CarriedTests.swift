import LullAudio
import LullRing
import TestSupport
import Testing

/// What a program has earned goes along when its sound goes to another device.
@Suite(.bounded(seconds: 300)) struct CarriedTests {
  private let stage = RouteStage { FakeSink(rate: 8000, channels: 1, buffer: 4000) }
  private let loud: (UInt64) -> Float = { $0 / 9 % 2 == 0 ? 0.5 : -0.5 }

  private func session(_ id: UInt64 = 1) throws -> RenderSession {
    let session = try RenderSession(id: id, rate: 8000, channels: 1, frames: 80_000)
    session.setTransport(.play)
    stage.add(session, to: nil)
    return session
  }

  @Test(arguments: [-30, 25])
  func `music with 50 seconds of silence in it plays whole, though it goes to another device`(after: Int)
    throws
  {
    let session = try session()
    let silence: Range<UInt64> = 520 * 8000..<570 * 8000
    for second in 0..<590 {
      session.fill { silence.contains($0) ? 0 : loud($0) }
      if second == 520 + after { stage.move(1, to: "headset") }
      stage.run(milliseconds: 1000, step: 10)
    }
    #expect(isHeldThroughout(stage.told), "\(stage.told)")
    let isHeard = stage.played("headset").contains { $0 != 0 }
    #expect(isHeard)
  }

  @Test func `what was earned goes with the last session, and is spent once`() throws {
    let (music, other) = (try session(), try session(2))
    func play(_ seconds: Int, loudly: Bool) {
      for _ in 0..<seconds {
        music.fill { loudly ? loud($0) : 0 }
        other.fill { _ in 0 }
        stage.run(milliseconds: 1000, step: 10)
      }
    }
    play(300, loudly: true)
    stage.move(1, to: "headset")
    stage.move(2, to: "headset")
    // 20 s of the 30 that were earned are spent.
    play(30, loudly: false)
    play(5, loudly: true)
    play(35, loudly: false)
    #expect(isHeldThroughout(stage.told), "\(stage.told)")
    let rests: [Double] = stage.told.compactMap {
      if case .quiet(1, .all, let seconds) = $0.report { seconds } else { nil }
    }
    let rest = try #require(rests.last)
    #expect(rest > 10 && rest < 22)
  }
}
