import LullAudio
import LullEngine
import LullRing
import LullSystem
import TestSupport
import Testing

/// Frames that are not heard never make a program audible, however often it is tried (docs/AUDIBILITY.md).
@Suite(.bounded(seconds: 300)) struct UnheardTests {
  private let loud: (UInt64) -> Float = { $0 / 9 % 2 == 0 ? 0.5 : -0.5 }
  private let silent: (UInt64) -> Float = { _ in 0 }
  private let stage = RenderStage(FakeSink(rate: 8000, channels: 1, buffer: 4000))

  private func session(_ id: UInt64 = 1, _ order: AudioOrder = .play) throws -> RenderSession {
    try RenderSession(id: id, rate: 8000, channels: 1, frames: 80_000, order: order)
  }

  private func expectUnheard(minutes: Int = 2, _ turn: () -> Void) {
    let end = stage.now + Int64(minutes) * 60_000_000_000
    while stage.now < end { turn() }
    #expect(!stage.hasSounded(), "\(stage.told)")
    let heard = stage.sink.played.count { $0 != 0 }
    #expect(heard == 0, "\(heard) loud frames were heard")
  }

  @Test func `loud frames that are dropped, before and behind which is silence`() throws {
    let session = try session()
    stage.open(session)
    expectUnheard {
      session.write(1200, silent)
      session.write(6400, loud)
      session.setTransport(.play)
      stage.look()
      stage.run(milliseconds: 60, step: 5)
      session.set(session.written, at: 8)
      session.setTransport(.pause)
      stage.look()
      stage.run(milliseconds: 300, step: 5)
    }
  }

  @Test func `loud frames that are flushed while it goes on playing`() throws {
    let session = try session()
    session.setTransport(.play)
    stage.open(session)
    expectUnheard {
      session.write(800, silent)
      session.write(8000, loud)
      stage.look()
      stage.run(milliseconds: 90, step: 5)
      session.set(session.written, at: 8)
      stage.look()
      stage.run(milliseconds: 10, step: 5)
    }
  }

  @Test func `loud frames behind a silent half second of a session that is closed`() throws {
    var id: UInt64 = 0
    var sessions: [RenderSession] = []
    expectUnheard {
      id += 1
      guard let session = try? session(id) else { return }
      sessions = [session]
      session.write(4000, silent)
      session.write(76_000, loud)
      session.setTransport(.play)
      stage.open(session)
      stage.run(milliseconds: 200, step: 5)
      stage.renderer.remove(id, now: stage.now)
      stage.pass()
      stage.run(milliseconds: 1800, step: 5)
    }
    #expect(sessions.count == 1)
  }

  @Test func `loud frames of a session that is never started`() throws {
    let session = try session()
    session.write(80_000, loud)
    stage.open(session)
    expectUnheard { stage.run(milliseconds: 1000, step: 100) }
  }

  @Test func `loud frames that are overwritten with zeros before they are heard`() throws {
    let session = try RenderSession(rate: 8000, channels: 1, frames: 16_000)
    session.setTransport(.play)
    stage.open(session)
    expectUnheard(minutes: 1) {
      // The device has half a second: the frames behind are overwritten.
      session.fill(silent)
      session.overwrite(from: session.moved + 8000, loud)
      stage.run(milliseconds: 200, step: 5)
      session.overwrite(from: session.moved + 4800, silent)
      stage.run(milliseconds: 200, step: 5)
    }
  }

  @Test func `loud frames that are rendered, then paused and played again with gain 0`() throws {
    let session = try session()
    session.write(400, silent)
    stage.open(session)
    expectUnheard {
      session.set(Float(1).bitPattern, at: 28)
      session.write(4000, loud)
      session.setTransport(.play)
      stage.look()
      stage.run(milliseconds: 20, step: 5)
      session.setTransport(.pause)
      stage.look()
      stage.run(milliseconds: 20, step: 5)
      session.set(Float(0).bitPattern, at: 28)
      session.setTransport(.play)
      stage.look()
      stage.run(milliseconds: 600, step: 5)
      session.write(400, silent)
      stage.look()
      stage.run(milliseconds: 20, step: 5)
    }
  }

  @Test func `a session that is held`() throws {
    let session = try session(1, .hold)
    session.setTransport(.play)
    stage.open(session)
    expectUnheard {
      session.fill(loud)
      stage.look()
      stage.run(milliseconds: 1000, step: 100)
    }
  }

  @Test func `two sessions of which one cancels the other, in either scope`() throws {
    let deep = try RenderSession(id: 2, rate: 8000, channels: 1, frames: 80_000, lowWater: 8000)
    let sessions = [try session(), deep]
    let antiphase: (UInt64) -> Float = { $0 / 9 % 2 == 0 ? -0.5 : 0.5 }
    sessions[0].fill(loud)
    sessions[1].fill(antiphase)
    for session in sessions {
      session.setTransport(.play)
      stage.renderer.add(session.session)
    }
    stage.pass()
    expectUnheard {
      sessions[0].fill(loud)
      sessions[1].fill(antiphase)
      stage.run(milliseconds: 500, step: 10)
    }
  }

  @Test func `antiphase on a device with one channel`() throws {
    let session = try RenderSession(rate: 8000, channels: 2, frames: 80_000)
    session.setTransport(.play)
    stage.open(session)
    expectUnheard(minutes: 1) {
      session.fillAntiphase(loud)
      stage.look()
      stage.run(milliseconds: 500, step: 10)
    }
  }

  @Test func `three loud seconds that were written as a promise and then flushed, between silent ones`()
    throws
  {
    let session = try session()
    session.write(8000, silent)
    session.setTransport(.play)
    stage.open(session)
    expectUnheard {
      session.write(24_000, loud)
      stage.run(milliseconds: 400, step: 5)
      session.set(session.written, at: 8)
      session.write(16_000, silent)
      stage.look()
      stage.run(milliseconds: 1200, step: 5)
    }
  }

  @Test func `a tone into a device that is suspended`() throws {
    stage.sink.isSuspended = true
    let session = try session()
    session.setTransport(.play)
    stage.open(session)
    expectUnheard {
      session.fill(loud)
      stage.run(milliseconds: 1000, step: 20)
    }
    #expect(session.moved == 0 && session.state == .running)
    #expect(stage.reports.contains(.routeGone))
    #expect(stage.passes < 150, "\(stage.passes) passes for a device that does nothing")
  }

  @Test func `a tone that begins anew again and again on a device that is suspended`() throws {
    stage.sink.isSuspended = true
    let session = try session()
    stage.open(session)
    expectUnheard {
      session.setTransport(.play)
      session.fill(loud)
      stage.look()
      stage.run(milliseconds: 2000, step: 20)
      session.setTransport(.pause)
      stage.look()
      stage.run(milliseconds: 200, step: 20)
    }
    #expect(session.moved == 0 && session.state == .paused)
  }

  @Test func `minutes of silence of a session that plays and records`() throws {
    let session = try RenderSession(rate: 8000, channels: 1, frames: 80_000, latency: 0.04, isSpoken: true)
    session.setTransport(.play)
    stage.open(session)
    expectUnheard {
      session.fill(silent)
      stage.run(milliseconds: 500, step: 5)
    }
  }
}
