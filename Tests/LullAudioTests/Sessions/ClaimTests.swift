import LullAudio
import LullRing
import LullSystem
import TestSupport
import Testing

/// Sessions that play on while one lulld follows another: each goes on under the number that the next one
/// gives it.
@Suite(.bounded) struct ClaimTests {
  private static let unclaimed: UInt64 = 1 << 32
  /// Audible frames, each different from the others.
  private let numbered: (UInt64) -> Float = {
    ($0 / 9 % 2 == 0 ? 1 : -1) * (0.25 + Float($0 % 80_000) / 0x80000)
  }
  private let stage = RouteStage { FakeSink(rate: 8000, channels: 1, buffer: 4000) }

  private func playing(
    _ id: UInt64 = 1, program: UInt64 = 1, lowWater: UInt64? = nil, _ sample: ((UInt64) -> Float)? = nil
  ) throws -> RenderSession {
    let session = try RenderSession(
      id: id, rate: 8000, channels: 1, frames: 80_000, lowWater: lowWater, program: program)
    session.fill(sample ?? numbered)
    session.setTransport(.play)
    stage.add(session, to: nil)
    return session
  }

  /// Takes the numbers away from sessions and programs.
  private func disown(_ ids: UInt64...) {
    stage.audience.disown()
    for id in ids { stage.routes.renumber(id, to: Self.unclaimed + id) }
  }

  /// Opens a session again, which had a number before.
  private func claim(
    _ earlier: UInt64, as id: UInt64, of program: UInt64, _ change: (inout SessionRequest) -> Void = { _ in }
  ) throws -> Bool {
    let found = stage.routes.sessions.first { $0.request.id == Self.unclaimed + earlier }
    var request = try #require(found).request
    (request.id, request.program) = (id, program)
    change(&request)
    let doorbell = Doorbell(try UnixSocket.pair().0)
    let isClaimed = stage.routes.claim(
      Self.unclaimed + earlier, as: request, doorbell: doorbell, on: nil, now: stage.now)
    stage.pass()
    return isClaimed
  }

  private func isPlayedWhole(_ frames: Int) -> Bool {
    stage.played("usual").prefix(frames).elementsEqual((0..<frames).lazy.map { numbered(UInt64($0)) })
  }

  @Test func `it goes on without a missing frame, and all is told anew, under the new numbers`() throws {
    _ = try playing()
    stage.run(milliseconds: 3000)
    #expect(stage.spoken.contains(.sounding(program: 1, of: .all)))
    disown(1)
    let before = stage.spoken.count
    stage.run(milliseconds: 1000)
    #expect(stage.spoken.count == before, "\(stage.spoken[before...])")
    #expect(try claim(1, as: 7, of: 3))
    let told = Array(stage.spoken[before...])
    #expect(told == [.began(7), .sounding(program: 3, of: .all), .sounding(program: 3, of: .live)])
    stage.run(milliseconds: 2000)
    #expect(isPlayedWhole(48_000) && stage.opened == ["usual"])
    stage.routes.remove(7, now: stage.now)
    stage.pass()
    #expect(stage.routes.sessions.isEmpty)
  }

  @Test func `two programs can change numbers`() throws {
    _ = try playing(1, program: 1)
    _ = try playing(2, program: 2) { _ in 0 }
    stage.run(milliseconds: 3000)
    disown(1, 2)
    let before = stage.spoken.count
    #expect(try claim(2, as: 1, of: 1))
    #expect(Array(stage.spoken[before...]) == [.began(1)])
    #expect(try claim(1, as: 2, of: 2))
    let told = Array(stage.spoken[before...].dropFirst())
    #expect(told == [.began(2), .sounding(program: 2, of: .all), .sounding(program: 2, of: .live)])
    stage.run(milliseconds: 1000)
    #expect(isPlayedWhole(32_000))
  }

  @Test func `the sessions of a program keep it heard together`() throws {
    _ = try playing(1)
    _ = try playing(2) { _ in 0 }
    stage.run(milliseconds: 3000)
    disown(1, 2)
    #expect(try claim(2, as: 1, of: 5))
    #expect(stage.spoken.contains(.sounding(program: 5, of: .all)))
    #expect(try claim(1, as: 2, of: 5))
    let before = stage.spoken.count
    stage.run(milliseconds: 2000)
    #expect(stage.spoken.count == before, "\(stage.spoken[before...])")
  }

  @Test func `a program that plays something new has what it claims heard as well`() throws {
    _ = try playing(1)
    stage.run(milliseconds: 3000)
    disown(1)
    _ = try playing(2, program: 5) { _ in 0 }
    // What is not claimed begins anew, which is heard.
    #expect(try !claim(1, as: 3, of: 5))
  }

  @Test func `an order goes along`() throws {
    let session = try playing()
    stage.run(milliseconds: 1000)
    disown(1)
    #expect(try claim(1, as: 1, of: 1) { $0.order = .hold })
    stage.run(milliseconds: 1000)
    #expect(session.state == .held)
  }

  @Test func `a low ring is told again`() throws {
    _ = try playing(lowWater: 79_000)
    stage.run(milliseconds: 1000)
    #expect(stage.spoken.contains(.low(1)))
    disown(1)
    #expect(try claim(1, as: 9, of: 1))
    #expect(stage.spoken.contains(.low(9)))
  }

  @Test func `a device that is gone is told again`() throws {
    _ = try playing()
    stage.run(milliseconds: 1000)
    stage.unplug("usual")
    stage.run(milliseconds: 1000)
    #expect(stage.spoken.last == .routeGone)
    disown(1)
    let before = stage.spoken.count
    #expect(try claim(1, as: 1, of: 1))
    #expect(stage.spoken[before...].contains(.routeGone))
  }

  @Test func `what has another format, or another ring, is another session`() throws {
    _ = try playing()
    stage.run(milliseconds: 100)
    disown(1)
    #expect(try !claim(1, as: 1, of: 1) { $0.frames = 40_000 })
    #expect(try !claim(1, as: 1, of: 1) { $0.format.rate = 16_000 })
    #expect(try !claim(1, as: 1, of: 1) { $0.lowWater = 1000 })
    #expect(try claim(1, as: 1, of: 1))
  }
}
