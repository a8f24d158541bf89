import Glibc
import LullAudio
import LullRing
import LullSystem
import TestSupport
import Testing

/// Frames that come back from the device: at once for the program that asks, and never for long at the cost
/// of others.
@Suite(.bounded) struct TakeBackTests {
  private func numbered(_ position: UInt64) -> Float { Float(position + 1) / 0x1p20 }

  private func stage(rewinds: Bool) -> RenderStage {
    let stage = RenderStage(FakeSink(channels: 1))
    stage.sink.rewinds = rewinds
    return stage
  }

  private func session(_ id: UInt64, channels: Int = 1) throws -> RenderSession {
    try RenderSession(id: id, channels: channels, program: id)
  }

  @Test(arguments: [false, true], ["flush", "pause", "gain", "close", "order"])
  func `a program that makes the device take frames back in a loop makes nobody else stutter`(
    rewinds: Bool, way: String
  ) throws {
    let stage = stage(rewinds: rewinds)
    let music = try session(1)
    music.write(480_000) { self.numbered($0) }
    music.setTransport(.play)
    stage.open(music)
    var other = try session(2)
    stage.open(other)
    for turn in 0..<200 {
      other.write(480) { _ in 0 }
      other.setTransport(.play)
      stage.look()
      stage.run(milliseconds: 10)
      switch way {
      case "flush": other.set(other.written, at: 8)
      case "pause": other.setTransport(.pause)
      case "gain": other.set(Float(turn % 2).bitPattern, at: 28)
      case "order":
        stage.renderer.order(2, turn % 2 == 0 ? .duck : .play, now: stage.now)
      default:
        stage.renderer.remove(2, now: stage.now)
        other = try session(2)
        stage.renderer.add(other.session)
      }
      stage.look()
      stage.run(milliseconds: 10)
    }
    #expect(stage.sink.stops <= (rewinds ? 0 : 3), "stopped \(stage.sink.stops) times in 4 s")
    let isSame = stage.sink.played == (0..<UInt64(stage.sink.played.count)).map(numbered)
    #expect(isSame && stage.renderer.underruns == 0)
  }

  @Test(arguments: [false, true])
  func `a change of gain is heard within 50 ms, without a click`(rewinds: Bool) throws {
    let stage = stage(rewinds: rewinds)
    let session = try session(1)
    session.write(480_000) { _ in 0.5 }
    session.setTransport(.play)
    stage.open(session)
    for gain: Float in [0.25, 1, 0, 0.5] {
      stage.run(milliseconds: 333)
      let place = stage.sink.played.count
      session.set(gain.bitPattern, at: 28)
      stage.look()
      stage.run(milliseconds: 100)
      let change = stage.sink.played[place...].firstIndex { $0 == 0.5 * gain }
      let late = (change ?? .max) - place
      #expect(late <= 48 * 50, "heard after \(late) frames")
    }
    let heard = stage.sink.played
    #expect(zip(heard, heard.dropFirst()).allSatisfy { abs($0 - $1) < 0.01 }, "a click")
  }

  @Test func `a volume that is turned in small steps is heard on its way`() throws {
    let stage = stage(rewinds: true)
    let session = try session(1)
    session.write(480_000) { _ in 0.5 }
    session.setTransport(.play)
    stage.open(session)
    stage.run(milliseconds: 300)
    session.set(Float(0.5).bitPattern, at: 28)
    stage.look()
    stage.run(milliseconds: 300)
    for step in 0..<60 {
      session.set((1 - Float(step) / 100).bitPattern, at: 28)
      stage.look()
      stage.run(milliseconds: 15)
      let heard = try #require(stage.sink.played.last)
      #expect(abs(heard / 0.5 - (1 - Float(step) / 100)) < 0.13)
    }
  }

  @Test func `a device that gives frames back plays on while one pauses, and the pause holds a frame`() throws
  {
    let stage = stage(rewinds: true)
    let sessions = [try session(1), try session(2)]
    for session in sessions {
      session.write(480_000) { self.numbered($0) }
      session.setTransport(.play)
      stage.renderer.add(session.session)
    }
    stage.pass()
    stage.run(milliseconds: 1000)
    sessions[1].setTransport(.pause)
    stage.look()
    stage.run(milliseconds: 200)
    #expect(sessions[1].state == .paused && stage.sink.stops == 0)
    let moved = sessions[1].moved
    #expect(moved <= 48_000 + 240 + 48, "5 ms cannot be taken back")
    sessions[1].setTransport(.play)
    stage.look()
    stage.run(milliseconds: 600)
    let heard = stage.sink.played
    let pause = Int(moved)..<48_000 + 9600
    let first = (0..<UInt64(moved)).allSatisfy { heard[Int($0)] == 2 * numbered($0) }
    let alone = pause.allSatisfy { heard[$0] == numbered(UInt64($0)) }
    #expect(first && alone)
    let again = try #require(
      heard.indices.dropFirst(pause.upperBound).first { heard[$0] != numbered(UInt64($0)) })
    let goesOn = (again..<heard.count).allSatisfy {
      heard[$0] == numbered(UInt64($0)) + numbered(UInt64($0 - again) + moved)
    }
    #expect(goesOn, "the paused session lost frames")
  }

  @Test(arguments: [false, true])
  func `a session of another rate goes on without a click when frames come back`(rewinds: Bool) throws {
    let stage = stage(rewinds: rewinds)
    let music = try RenderSession(id: 1, rate: 44_100, channels: 1, program: 1)
    music.write(220_500) { 0.5 * Float(sin(Double($0) * 440 * 2 * .pi / 44_100)) }
    let other = try session(2)
    for session in [music, other] {
      session.setTransport(.drain)
      stage.renderer.add(session.session)
    }
    stage.pass()
    for _ in 0..<40 {
      other.write(4800) { _ in 0 }
      stage.look()
      stage.run(milliseconds: 53)
      other.set(other.written, at: 8)
      stage.look()
      stage.run(milliseconds: 20)
    }
    stage.run(milliseconds: 3000)
    #expect(music.state == .drained && music.moved == 220_500)
    let heard = stage.sink.played.prefix(238_000)
    let steepest = zip(heard, heard.dropFirst()).map { abs($0 - $1) }.max() ?? 1
    #expect(steepest < 0.032, "a step of \(steepest); the sine has 0.029")
    #expect(abs(stage.sink.played.count - 240_000) <= 48)
  }

  @Test func `orders to several sessions at once fade each of them`() throws {
    let stage = stage(rewinds: false)
    let sessions = [try session(1), try session(2)]
    for session in sessions {
      session.write(480_000) { _ in 0.25 }
      session.setTransport(.play)
      stage.renderer.add(session.session)
    }
    stage.pass()
    stage.run(milliseconds: 700)
    for id: UInt64 in [1, 2] { stage.renderer.order(id, .duck, now: stage.now) }
    stage.pass()
    stage.run(milliseconds: 400)
    let heard = stage.sink.played
    #expect(heard.last == 0.1)
    #expect(zip(heard, heard.dropFirst()).allSatisfy { abs($0 - $1) < 0.001 }, "a click")
  }

  @Test(arguments: [(960, 0), (0, 700), (960, 700)])
  func `a pause holds the frame at which the device stopped`(takesAhead: Int, isLateBy: Int) throws {
    let stage = stage(rewinds: false)
    (stage.sink.takesAhead, stage.sink.isLateBy) = (takesAhead, isLateBy)
    let session = try session(1)
    session.write(480_000) { self.numbered($0) }
    session.setTransport(.play)
    stage.open(session)
    for milliseconds in [333, 1, 217, 100, 55] {
      stage.run(milliseconds: milliseconds + 100)
      session.setTransport(.pause)
      stage.look()
      #expect(session.state == .paused && session.moved == UInt64(stage.sink.played.count))
      stage.run(milliseconds: milliseconds)
      session.setTransport(.play)
      stage.look()
    }
    stage.run(milliseconds: 500)
    let isSame = stage.sink.played == (0..<UInt64(stage.sink.played.count)).map(numbered)
    #expect(isSame, "frames are missing or heard twice")
  }
}
