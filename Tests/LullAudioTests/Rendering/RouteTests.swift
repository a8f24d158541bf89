import LullAudio
import LullRing
import LullSystem
import TestSupport
import Testing

/// Sessions on several devices that run by the test's clock.
@Suite(.bounded) struct RouteTests {
  /// A number for each frame, exact in a float.
  private func numbered(_ position: UInt64) -> Float { Float(position + 1) / 0x1p20 }

  private func frames(_ range: Range<Int>) -> [Float] { range.map { numbered(UInt64($0)) } }

  private func playing(_ id: UInt64 = 1, seconds: Double = 2, latency: Double = 0.5) throws -> RenderSession {
    let session = try RenderSession(id: id, latency: latency)
    session.write(Int(seconds * 48_000), numbered)
    session.setTransport(.play)
    return session
  }

  @Test func `two sessions play on two devices, each on its own`() throws {
    let stage = RouteStage()
    let (one, other) = (try playing(1), try RenderSession(id: 2))
    other.write(48_000) { _ in 0.25 }
    other.setTransport(.drain)
    stage.add(one, to: nil)
    stage.add(other, to: "headset")
    stage.run(milliseconds: 1500)
    let isSame =
      stage.played("usual") == frames(0..<72_000)
      && stage.played("headset") == [Float](repeating: 0.25, count: 48_000)
    #expect(isSame && other.state == .drained)
    #expect(stage.reports.isEmpty)
  }

  @Test func `a session that is moved goes on at the frame that is heard, none missing and none twice`()
    throws
  {
    let stage = RouteStage()
    let (one, other) = (try playing(1), try playing(2))
    stage.add(one, to: nil)
    stage.add(other, to: nil)
    stage.run(milliseconds: 700)
    stage.move(1, to: "headset")
    let (start, place) = (stage.played("usual").count, Int(other.moved))
    stage.run(milliseconds: 300)
    let alone = Array(stage.played("usual")[start...])
    stage.move(1, to: nil)
    let back = Int(other.moved)
    stage.run(milliseconds: 200)
    let headset = stage.played("headset")
    let isSame = headset == frames(33_600..<48_000) && alone == frames(place..<place + 14_400)
    #expect(isSame)
    // Both sessions play together again.
    let sum = (0..<9600).map { numbered(UInt64(48_000 + $0)) + numbered(UInt64(back + $0)) }
    let isSum = Array(stage.played("usual")[(start + 14_400)...]) == sum
    #expect(isSum)
    #expect(
      stage.reports == [
        RouteReport(1, from: "usual", to: "headset", .override),
        RouteReport(1, from: "headset", to: "usual", .override),
      ])
  }

  @Test func `many moves lose no frame`() throws {
    let stage = RouteStage()
    let session = try playing(seconds: 1, latency: 0.04)
    stage.add(session, to: nil)
    var expected: (usual: [Float], headset: [Float]) = ([], [])
    var place = 0
    for turn in 0..<12 {
      let length = 20 + turn * 7 % 90
      stage.run(milliseconds: length)
      let range = frames(place..<place + length * 48)
      if turn % 2 == 0 { expected.usual += range } else { expected.headset += range }
      place += length * 48
      stage.move(1, to: turn % 2 == 0 ? "headset" : nil)
    }
    let isSame = stage.played("usual") == expected.usual && stage.played("headset") == expected.headset
    #expect(isSame)
  }

  @Test func `a device without sound is closed, and nobody is woken for it any more`() throws {
    let stage = RouteStage(closeAfter: 1_000_000_000)
    let session = try playing()
    stage.add(session, to: "headset")
    stage.run(milliseconds: 500)
    session.setTransport(.pause)
    stage.look(1)
    stage.run(milliseconds: 1500)
    #expect(stage.routes.devices == [.closed])
    let passes = stage.passes
    stage.run(milliseconds: 30_000)
    #expect(stage.passes == passes)
    session.setTransport(.play)
    stage.look(1)
    stage.run(milliseconds: 100)
    let isSame = stage.played("headset") == frames(0..<28_800)
    #expect(isSame)
  }

  @Test func `when its device is pulled out it goes on with the usual one, and returns when it is back`()
    throws
  {
    let stage = RouteStage()
    stage.add(try playing(seconds: 6), to: "headset")
    stage.run(milliseconds: 700)
    stage.unplug("headset")
    stage.run(milliseconds: 2000)
    let first = RouteReport(1, from: "headset", to: "usual", .oldDeviceUnavailable)
    #expect(stage.reports == [first])
    #expect(stage.spoken.contains(.routeGone))
    let before = stage.played("headset").count
    stage.plug("headset")
    stage.run(milliseconds: 2500)
    #expect(stage.reports == [first, RouteReport(1, from: "usual", to: "headset", .newDeviceAvailable)])
    let usual = stage.played("usual")
    let heard = stage.played("headset")
    // The frames that the device has played since the last measurement are not known: they play once more.
    let again = before - (usual.firstIndex(of: numbered(UInt64(before))) ?? 0)
    let isWhole = usual + heard[before...] == frames(again..<again + usual.count + heard.count - before)
    #expect(isWhole && again > before - 24_000 && heard.count > before)
  }

  @Test func `a device that was never there is left for the usual one after a bound`() throws {
    let stage = RouteStage()
    stage.missing = ["headset"]
    let session = try playing()
    stage.add(session, to: "headset")
    stage.run(milliseconds: 1200)
    #expect(stage.reports == [RouteReport(1, from: "headset", to: "usual", .oldDeviceUnavailable)])
    #expect(stage.played("usual").count > 24_000 && session.state == .running)
    // The next session goes to the usual device at once, and this is reported.
    let other = try playing(2)
    stage.add(other, to: "headset")
    #expect(stage.reports.last == RouteReport(2, from: "headset", to: "usual", .oldDeviceUnavailable))
  }

  @Test func `a move to a device that is not there leaves the sound where it is`() throws {
    let stage = RouteStage()
    stage.missing = ["nosuch"]
    stage.add(try playing(), to: "headset")
    stage.run(milliseconds: 300)
    stage.move(1, to: "nosuch")
    stage.run(milliseconds: 300)
    #expect(stage.reports == [RouteReport(1, from: "headset", to: "usual", .oldDeviceUnavailable)])
    let isWhole = stage.played("headset") + stage.played("usual") == frames(0..<28_800)
    #expect(isWhole)
  }

  @Test func `without the usual device too its sound waits for either`() throws {
    let stage = RouteStage()
    stage.add(try playing(), to: "headset")
    stage.run(milliseconds: 300)
    stage.missing = ["usual"]
    stage.unplug("headset")
    stage.run(milliseconds: 2000)
    #expect(stage.reports.isEmpty)
    stage.plug("usual")
    stage.run(milliseconds: 3000)
    #expect(stage.reports == [RouteReport(1, from: "headset", to: "usual", .oldDeviceUnavailable)])
    #expect(stage.played("usual").count > 24_000)
  }

  @Test
  func `a device that comes and goes is tried more and more seldom, and never for a session that is silent`()
    throws
  {
    let stage = RouteStage()
    let session = try playing()
    stage.add(session, to: "headset")
    stage.run(milliseconds: 300)
    for _ in 0..<3 {
      stage.unplug("headset")
      stage.run(milliseconds: 600)
      let count = stage.reports.count
      stage.plug("headset")
      var waited = 0
      while stage.reports.count == count, waited < 20_000 {
        stage.run(milliseconds: 100)
        waited += 100
        if session.written - session.moved < 470_000 { session.write(4800, numbered) }
      }
      stage.run(milliseconds: 50)
    }
    #expect(stage.opened.count { $0 == "headset" } == 4)
    stage.unplug("headset")
    stage.run(milliseconds: 600)
    session.setTransport(.pause)
    stage.look(1)
    stage.run(milliseconds: 12_000)
    let passes = stage.passes
    stage.run(milliseconds: 30_000)
    #expect(stage.passes == passes)
  }
}
