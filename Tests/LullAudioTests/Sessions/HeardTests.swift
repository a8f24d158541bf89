import Fuzzing
import LullAudio
import LullEngine
import LullRing
import LullSystem
import TestSupport
import Testing

/// Sound that is heard keeps its program awake, and no frame of it is lost (docs/AUDIBILITY.md).
@Suite(.bounded(seconds: 300)) struct HeardTests {
  private let loud: (UInt64) -> Float = { $0 / 9 % 2 == 0 ? 0.5 : -0.5 }
  /// Audible frames, each different from the others.
  private let numbered: (UInt64) -> Float = {
    ($0 / 9 % 2 == 0 ? 1 : -1) * (0.25 + Float($0 % 80_000) / 0x80000)
  }
  private let stage = RenderStage(FakeSink(rate: 8000, channels: 1, buffer: 4000))

  private func session(lowWater: UInt64? = nil) throws -> RenderSession {
    try RenderSession(rate: 8000, channels: 1, frames: 80_000, lowWater: lowWater)
  }

  private func play(_ session: RenderSession, seconds: Int, _ sample: (UInt64) -> Float) {
    session.setTransport(.play)
    stage.look()
    for _ in 0..<seconds {
      session.fill(sample)
      stage.run(milliseconds: 1000, step: 10)
    }
  }

  private func quiets(_ scope: AudioScope = .all) -> [Double] {
    stage.reports.compactMap { if case .quiet(1, scope, let seconds) = $0 { seconds } else { nil } }
  }

  @Test(arguments: [500, 1000, 1900, 3000, 8000], [UInt64](1...2))
  func `seeks and pauses at any moment keep it heard, and lose nothing`(pause: Int, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let session = try session()
    stage.open(session)
    play(session, seconds: 4, numbered)
    #expect(stage.hasSounded())
    var expected: [Float] = []
    var next: UInt64 = 0
    for _ in 0..<4 {
      session.fill(numbered)
      stage.run(milliseconds: Int.random(in: 300...1500, using: &random))
      session.setTransport(.pause)
      stage.look()
      stage.run(milliseconds: pause, step: 10)
      session.setTransport(.play)
      stage.look()
      stage.run(milliseconds: Int.random(in: 1...900, using: &random))
      // A seek: the next frame plays behind the frame that plays now.
      expected += (0..<stage.sink.played.count - expected.count).map { numbered(next + UInt64($0)) }
      next = session.written
      session.set(next, at: 8)
      stage.look()
      play(session, seconds: 1, numbered)
    }
    expected += (0..<stage.sink.played.count - expected.count).map { numbered(next + UInt64($0)) }
    let isSame = stage.sink.played == expected
    #expect(isSame, "frames are missing or come twice")
    #expect(stage.isResident, "its lease ended while it was heard: \(stage.told)")
  }

  @Test(arguments: [UInt64](1...6))
  func `a device that goes and comes at any moment keeps it heard, and no frame is missing`(seed: UInt64)
    throws
  {
    var random = SplitMix64(seed: seed)
    let session = try session()
    stage.open(session)
    play(session, seconds: 4, numbered)
    for _ in 0..<3 {
      session.fill(numbered)
      stage.run(milliseconds: Int.random(in: 1...900, using: &random))
      stage.sink.failure = .gone("unplugged")
      stage.sink.stop()
      stage.run(milliseconds: Int.random(in: 500...3000, using: &random))
      stage.sink.failure = nil
      play(session, seconds: 2, numbered)
    }
    let heard = Set(stage.sink.played)
    let missing = (0..<session.moved).count { !heard.contains(numbered($0)) }
    #expect(missing == 0)
    #expect(stage.isResident, "\(stage.told)")
  }

  @Test func `a device that is suspended holds no longer than the hangover, and is heard on when it moves`()
    throws
  {
    let session = try session()
    stage.open(session)
    play(session, seconds: 60, numbered)
    let suspended = stage.now
    stage.sink.isSuspended = true
    stage.run(milliseconds: 120_000, step: 10)
    let end = try #require(stage.leaseEnd(), "it is told as sounding: \(stage.told)")
    #expect(end - suspended > 14_000_000_000 && end - suspended < 18_000_000_000)
    #expect(stage.reports.contains(.routeGone))
    let moved = session.moved
    stage.run(milliseconds: 5000, step: 10)
    #expect(session.moved == moved)
    stage.sink.isSuspended = false
    play(session, seconds: 5, numbered)
    #expect(stage.reports.contains(.routeNew(device: "fake")) && stage.leaseEnd() == nil)
    let isWhole = stage.sink.played == (0..<UInt64(stage.sink.played.count)).map(numbered)
    #expect(isWhole, "frames are missing or come twice")
  }

  @Test func `what was earned is earned anew after a device was suspended for long`() throws {
    let session = try session()
    stage.open(session)
    play(session, seconds: 300, loud)
    stage.sink.isSuspended = true
    stage.run(milliseconds: 35_000, step: 10)
    stage.sink.isSuspended = false
    play(session, seconds: 3, loud)
    #expect(stage.isResident, "\(stage.told)")
    stage.sink.isSuspended = true
    let suspended = stage.now
    stage.run(milliseconds: 40_000, step: 10)
    let end = try #require(stage.leaseEnd())
    #expect(end - suspended < 18_000_000_000, "what was spent holds it once more")
  }

  @Test(arguments: [(2000, 4000), (1000, 4000), (400, 200)], [0.3, 0.03] as [Float])
  func `a telephone that rings holds from the first ring to the last`(cadence: (Int, Int), level: Float)
    throws
  {
    let session = try session()
    stage.open(session)
    let (on, all) = (UInt64(cadence.0 * 8), UInt64((cadence.0 + cadence.1) * 8))
    play(session, seconds: 40) { $0 % all < on ? ($0 / 9 % 2 == 0 ? level : -level) : 0 }
    #expect(stage.hasSounded())
    #expect(stage.isResident, "\(stage.told)")
    let end = stage.leaseEnd() ?? .max
    #expect(end > stage.now)
  }

  @Test func `a session that stopped has ten seconds, however long it was heard`() throws {
    let session = try session()
    stage.open(session)
    play(session, seconds: 120, loud)
    session.set(session.written, at: 8)
    session.setTransport(.pause)
    stage.look()
    let stopped = stage.now
    stage.run(milliseconds: 20_000, step: 10)
    let end = try #require(stage.leaseEnd())
    #expect(abs(end - stopped - 10_000_000_000) <= 300_000_000)
    #expect(quiets().count == 1)
  }

  @Test(arguments: [88_000, 88_080, 88_400, 131_313] as [UInt64])
  func `the lease ends when the hangover after the last audible tenth does`(end: UInt64) throws {
    // The lease ends at the same time however rarely passes come.
    let stage = RenderStage(FakeSink(rate: 8000, channels: 1, buffer: 16_000))
    let session = try RenderSession(rate: 8000, channels: 1, frames: 240_000, latency: 2)
    session.write(240_000) { $0 < end ? self.loud($0) : 0 }
    session.setTransport(.play)
    stage.open(session)
    let begin = stage.now
    stage.run(milliseconds: 29_000)
    let lastHeard = begin + Int64(end) * 125_000
    let lease = try #require(stage.leaseEnd())
    // The sound counts as heard from the end of its first second on.
    let hangover = 10 + (Double(end) / 8000 - 1) / 10
    let late = Double(lease - lastHeard) / 1e9 - hangover
    #expect(late >= -0.1 && late <= 0.3, "\(late) s late")
  }

  @Test(arguments: [nil, 3, 40] as [Int64?])
  func `a pause cuts an earned hangover, and what the owner wants replaces it`(silence: Int64?) throws {
    let session = try RenderSession(
      rate: 8000, channels: 1, frames: 80_000, silence: silence.map(Interval.seconds))
    stage.open(session)
    play(session, seconds: 60, loud)
    let end = session.written
    play(session, seconds: 13) { _ in 0 }
    // The 10 s in the ring were still loud.
    let last = stage.now - Int64(session.moved - end) * 125_000
    let running = try #require(stage.leaseEnd())
    #expect(abs(running - last - (silence ?? 16) * 1_000_000_000) < 1_000_000_000)
    session.setTransport(.pause)
    stage.look()
    stage.run(milliseconds: 100)
    let stopped = try #require(stage.leaseEnd())
    #expect(abs(stopped - last - min(silence ?? 10, 10) * 1_000_000_000) < 300_000_000)
  }

  @Test func `a deep buffer is heard in the sum alone, and a live session beside it in both`() throws {
    let deep = try session(lowWater: 8000)
    stage.open(deep)
    play(deep, seconds: 4, loud)
    #expect(stage.reports.contains(.sounding(program: 1, of: .all)))
    #expect(!stage.reports.contains(.sounding(program: 1, of: .live)))
    let live = try RenderSession(id: 2, rate: 8000, channels: 1, frames: 80_000)
    stage.renderer.add(live.session)
    play(live, seconds: 4, loud)
    #expect(stage.reports.contains(.sounding(program: 1, of: .live)))
    live.setTransport(.stop)
    stage.look()
    for _ in 0..<4 {
      deep.fill(loud)
      stage.run(milliseconds: 1000, step: 10)
    }
    #expect(stage.leaseEnd(.live) != nil && stage.leaseEnd(.all) == nil)
  }

  @Test func `a program is heard on while one of its devices is, and its last device leaves it a hangover`()
    throws
  {
    let session = try session()
    let audience = Audience { [stage] report in stage.note(report) }
    var renderer: Renderer? = Renderer(
      audience: audience, open: { [stage] _ throws(SinkError) in stage.sink }, report: { _ in })
    session.fill(loud)
    session.setTransport(.play)
    renderer?.add(session.session)
    _ = renderer?.pass(now: stage.now)
    for _ in 0..<500 {
      stage.pass(by: 10)
      _ = renderer?.pass(now: stage.now)
    }
    #expect(stage.hasSounded() && stage.leaseEnd() == nil)
    renderer = nil
    let end = try #require(stage.leaseEnd())
    #expect(end > stage.now && end <= stage.now + 10_000_000_000)
  }
}
