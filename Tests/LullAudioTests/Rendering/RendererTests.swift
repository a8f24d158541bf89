import LullAudio
import LullRing
import LullSystem
import TestSupport
import Testing

/// The renderer on a device that runs by the test's clock.
@Suite(.bounded) struct RendererTests {
  /// A number for each frame, exact in a float.
  private func numbered(_ position: UInt64) -> Float { Float(position + 1) / 0x1p20 }

  /// A session with so many numbered frames.
  private func begun(
    _ frames: Int, _ transport: RingRequest.Transport
  ) throws -> (RenderStage, RenderSession) {
    let (stage, session) = (RenderStage(), try RenderSession())
    session.write(frames, numbered)
    session.setTransport(transport)
    stage.open(session)
    return (stage, session)
  }

  private func left(_ sink: FakeSink) -> [Float] {
    stride(from: 0, to: sink.played.count, by: sink.format.channels).map { sink.played[$0] }
  }

  @Test func `everything is heard once, and few passes are needed`() throws {
    let (stage, session) = try begun(240_000, .drain)
    stage.run(milliseconds: 5100)
    #expect(session.state == .drained && session.moved == 240_000)
    let isSame = left(stage.sink) == (0..<240_000).map(numbered)
    #expect(isSame)
    #expect(stage.reports.contains(.began(1)) && stage.reports.contains(.ended(1)))
    #expect(stage.passes < 25, "\(stage.passes) passes in 5 s")
  }

  @Test func `a device that plays in steps plays the last frames, too, which fill none`() throws {
    let stage = RenderStage()
    stage.sink.step = 1024
    let session = try RenderSession()
    session.write(100_100, numbered)
    session.setTransport(.play)
    stage.open(session)
    stage.run(milliseconds: 1900)
    session.setTransport(.drain)
    stage.look()
    stage.run(milliseconds: 250)
    #expect(session.state == .drained && session.moved == 100_100)
    let isSame = left(stage.sink) == (0..<100_100).map(numbered)
    #expect(isSame && stage.sink.stops == 0)
  }

  @Test func `what was handed over is taken back at the frame that is heard, by a pause, a flush and a seek`()
    throws
  {
    let (stage, session) = try begun(240_000, .play)
    stage.run(milliseconds: 700)
    session.setTransport(.pause)
    stage.look()
    #expect(session.state == .paused && session.moved == 33_600 && stage.sink.queued == 0)
    stage.run(milliseconds: 500)
    session.setTransport(.play)
    stage.look()
    stage.run(milliseconds: 300)
    session.set(UInt64(120_000), at: 8)
    stage.look()
    #expect(session.moved == 120_000)
    stage.run(milliseconds: 100)
    let expected =
      (0..<48_000).map { numbered(UInt64($0)) } + (120_000..<124_800).map { numbered(UInt64($0)) }
    let isSame = left(stage.sink) == expected
    #expect(isSame)
  }

  @Test func `other sessions go on where they were when one is paused`() throws {
    let stage = RenderStage()
    let one = try RenderSession(id: 1)
    let other = try RenderSession(id: 2)
    for session in [one, other] {
      session.write(240_000, numbered)
      session.setTransport(.play)
      stage.open(session)
    }
    stage.run(milliseconds: 1000)
    one.setTransport(.pause)
    stage.look()
    let heard = left(stage.sink).count
    let place = Int(other.moved)
    #expect(place > 0)
    stage.run(milliseconds: 100)
    let isSame = left(stage.sink)[heard...].elementsEqual((place..<place + 4800).map { numbered(UInt64($0)) })
    #expect(isSame)
  }

  @Test func `ducking is a fade to a fifth and back, holding a fade to nothing`() throws {
    let stage = RenderStage()
    let session = try RenderSession()
    session.write(400_000) { _ in 0.5 }
    session.setTransport(.play)
    stage.open(session)
    stage.run(milliseconds: 300)
    stage.renderer.order(1, .duck, now: stage.now)
    stage.pass()
    stage.run(milliseconds: 300)
    var samples = left(stage.sink)
    #expect(samples[14_399] == 0.5 && samples[14_400 + 1200] < 0.5 && samples[14_400 + 2400] == 0.5 * 0.2)
    stage.renderer.order(1, .hold, now: stage.now)
    stage.pass()
    stage.run(milliseconds: 200)
    samples = left(stage.sink)
    #expect(session.state == .held && session.moved == 28_800 + 2400 && samples.count == 28_800 + 2400)
    stage.renderer.order(1, .play, now: stage.now)
    stage.pass()
    stage.run(milliseconds: 400)
    samples = left(stage.sink)
    #expect(session.state == .running && samples[31_200] == 0 && samples[31_200 + 12_000] == 0.5)
    #expect(zip(samples, samples.dropFirst()).allSatisfy { abs($0 - $1) < 0.001 }, "a click")
  }

  @Test func `a session of another rate is brought to that of the device, all of it and no more`() throws {
    let stage = RenderStage(FakeSink(rate: 48_000))
    let session = try RenderSession(rate: 44_100, channels: 1)
    session.write(88_200) { position in position % 441 < 220 ? 0.25 : -0.25 }
    session.setTransport(.drain)
    stage.open(session)
    var previous: UInt64 = 0
    stage.run(milliseconds: 2200) {
      #expect(session.moved >= previous)
      previous = session.moved
    }
    let samples = left(stage.sink)
    #expect(session.state == .drained && session.moved == 88_200)
    #expect(samples.count == 96_000)
    let crossings = zip(samples, samples.dropFirst()).count { ($0 < 0) != ($1 < 0) }
    #expect(abs(crossings - 400) <= 4, "\(crossings) crossings of 100 Hz in 2 s")
  }

  @Test func `a program that is late is starved once, and others are not held up`() throws {
    let stage = RenderStage()
    let late = try RenderSession(id: 1)
    let other = try RenderSession(id: 2)
    late.write(24_000) { _ in 0.25 }
    other.write(240_000) { _ in 0.5 }
    for session in [late, other] {
      session.setTransport(.play)
      stage.open(session)
    }
    stage.run(milliseconds: 1000)
    #expect(late.state == .starved && late.moved == 24_000 && late.read(96, as: UInt32.self) == 1)
    #expect(other.state == .running && stage.renderer.underruns == 0)
    let gaps = left(stage.sink).count { $0 == 0 }
    #expect(gaps == 0)
    stage.run(milliseconds: 1000)
    #expect(stage.reports.contains(.ended(1)) && !stage.reports.contains(.ended(2)))
    late.write(24_000) { _ in 0.25 }
    stage.look()
    #expect(late.state == .running)
    stage.run(milliseconds: 1000)
    #expect(late.moved > 24_000)
  }

  @Test func `doorbells that follow on each other are rung in time`() throws {
    let stage = RenderStage()
    let session = try RenderSession()
    session.write(240_000, numbered)
    session.set(UInt64(6000), at: 16)
    session.setTransport(.play)
    stage.open(session)
    var rung: [UInt64] = []
    stage.run(milliseconds: 2000) {
      let doorbellAt = session.read(16, as: UInt64.self)
      guard session.read(100, as: UInt32.self) == UInt32(doorbellAt) else { return }
      rung.append(session.moved)
      session.set(doorbellAt + 6000, at: 16)
    }
    let late = rung.enumerated().map { $0.element - UInt64(6000 * ($0.offset + 1)) }
    #expect(rung.count == 15 && late.allSatisfy { $0 <= 240 }, "late by \(late) frames")
  }

  @Test func `a session of small latency makes the queue short`() throws {
    let stage = RenderStage()
    let music = try RenderSession(id: 1)
    music.write(240_000) { _ in 0.5 }
    music.setTransport(.play)
    stage.open(music)
    stage.run(milliseconds: 200)
    let call = try RenderSession(id: 2, latency: 0.04)
    call.write(48_000) { _ in 0.25 }
    call.setTransport(.play)
    stage.open(call)
    #expect(stage.requests.map(\.seconds) == [0.5, 0.04])
    #expect(stage.sink.queued <= 1920)
    stage.run(milliseconds: 100)
    #expect(left(stage.sink).last == 0.75)
  }

  @Test func `a device that is lost is tried again with growing pauses, and nothing is lost`() throws {
    let (stage, session) = try begun(240_000, .play)
    stage.run(milliseconds: 700)
    stage.sink.failure = .gone("no such device")
    stage.run(milliseconds: 4000)
    #expect(stage.reports.contains(.routeGone) && session.state == .running)
    let tries = stage.requests.count
    #expect(tries >= 4 && tries <= 6, "\(tries) tries")
    let moved = session.moved
    stage.sink.failure = nil
    stage.run(milliseconds: 6000)
    #expect(stage.reports.contains(.routeNew(device: "fake")))
    #expect(session.moved > moved)
  }

  @Test func `a device that is missing from the start is told after a while`() throws {
    let stage = RenderStage()
    stage.sink.failure = .gone("no such device")
    let session = try RenderSession()
    session.write(240_000, numbered)
    session.setTransport(.play)
    stage.open(session)
    stage.run(milliseconds: 400)
    #expect(!stage.reports.contains(.routeGone))
    stage.run(milliseconds: 1000)
    #expect(stage.reports.contains(.routeGone) && session.state == .running)
    stage.sink.failure = nil
    stage.run(milliseconds: 2000)
    #expect(stage.reports.contains(.routeNew(device: "fake")))
  }

  @Test(arguments: [nil, 240_000] as [UInt64?])
  func `where there never was a device a session is given up within two seconds`(lowWater: UInt64?) throws {
    let stage = RenderStage()
    stage.sink.failure = .gone("no such device")
    let session = try RenderSession(frames: 1_440_000, lowWater: lowWater)
    session.fill(numbered)
    session.setTransport(.play)
    stage.open(session)
    stage.run(milliseconds: 1700)
    #expect(session.state == .running)
    stage.run(milliseconds: 300)
    #expect(stage.reports.contains(.cut(1, .noDevice)) && session.state == .cut)
    let tries = stage.requests.count
    stage.run(milliseconds: 10_000)
    #expect(stage.requests.count == tries)
  }

  @Test func `a session that has played before waits longer for the device of the next lull-audio`() throws {
    let session = try RenderSession()
    session.fill(numbered)
    session.setTransport(.play)
    let earlier = RenderStage()
    earlier.open(session)
    earlier.run(milliseconds: 700)
    let stage = RenderStage()
    stage.sink.failure = .gone("no such device")
    stage.renderer.add(try session.goingOn())
    stage.pass()
    stage.run(milliseconds: 9000)
    #expect(session.state == .running)
    stage.run(milliseconds: 4000)
    #expect(stage.reports.contains(.cut(1, .noDevice)) && session.state == .cut)
  }

  @Test(arguments: FakeSink.Call.allCases, [SinkError.ranDry, .suspended])
  func `a device that fails between two calls is begun again by itself`(call: FakeSink.Call, error: SinkError)
    throws
  {
    let stage = RenderStage()
    let session = try RenderSession()
    session.write(240_000, numbered)
    session.setTransport(.drain)
    if call == .start { stage.sink.nextFailure = (call, error) }
    stage.open(session)
    stage.run(milliseconds: 700)
    if call != .start { stage.sink.nextFailure = (call, error) }
    stage.run(milliseconds: 6000)
    #expect(stage.sink.nextFailure == nil && session.state == .drained && session.moved == 240_000)
    #expect(left(stage.sink).last == numbered(239_999))
  }

  @Test func `a machine that has slept for a month plays on`() throws {
    let (stage, session) = try begun(96_000, .drain)
    stage.run(milliseconds: 700)
    stage.suspend(days: 30)
    stage.run(milliseconds: 2000)
    #expect(session.state == .drained && session.moved == 96_000)
  }

  @Test func `small latencies that come and go do not open the device again and again`() throws {
    let stage = RenderStage(FakeSink(channels: 1))
    let music = try RenderSession(id: 1, channels: 1, frames: 4_800_000, program: 1)
    music.write(4_800_000) { _ in 0.25 }
    music.setTransport(.play)
    stage.open(music)
    for turn in 0..<10 as Range<UInt64> {
      let call = try RenderSession(id: 2 + turn, channels: 1, latency: 0.04, program: 2)
      call.write(48_000) { _ in 0.25 }
      call.setTransport(.play)
      stage.open(call)
      stage.run(milliseconds: 300)
      stage.renderer.remove(2 + turn, now: stage.now)
      stage.pass()
      stage.run(milliseconds: 2500)
    }
    #expect(stage.requests.map(\.seconds) == [0.5, 0.04, 0.5, 0.04])
    stage.run(milliseconds: 2000)
    #expect(stage.requests.last?.seconds == 0.5, "the large buffer never comes back")
  }
}
