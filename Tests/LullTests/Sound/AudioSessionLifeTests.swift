import LullEngine
import LullRing
import LullSystem
import TestSupport
import Testing

@testable import Lull

@Suite(.bounded) struct AudioSessionLifeTests {
  @Test func `Interruptions and routes are told`() throws {
    let sound = try SessionStage()
    let id = try #require(sound.session.id).number
    try sound.it.daemon.send(
      "event interruption session=\(id) phase=began", "event interruption session=\(id + 1) phase=began",
      "event interruption session=\(id) phase=ended shouldResume",
      "event interruption session=\(id) phase=ended",
      "event route change=new device=\"USB headset\"", "event route change=gone")
    try sound.expect([
      .interruptionBegan, .interruptionEnded(shouldResume: true), .interruptionEnded(shouldResume: false),
      .routeChanged(device: "USB headset"), .routeChanged(device: nil),
    ])
  }

  @Test func `A session is told that it is on another device, from which one and why`() throws {
    let sound = try SessionStage()
    let id = try #require(sound.session.id).number
    try sound.it.daemon.send(
      "event route session=\(id) change=new device=hw:1 old=default reason=override",
      "event route session=\(id + 1) change=new device=hw:2 old=default reason=override")
    try sound.expect([.routeChanged(device: "hw:1")])
    let change = try #require(sound.session.lastRouteChange)
    #expect(change.device == "hw:1" && change.previous == "default" && change.reason == .override)
    try sound.it.daemon.send(
      "event route session=\(id) change=new device=default old=hw:1 reason=old-device-unavailable")
    try sound.expect([.routeChanged(device: "default")])
    #expect(sound.session.lastRouteChange?.reason == .oldDeviceUnavailable)
  }

  @Test func `A session that the daemon reports as cut is closed`() throws {
    let sound = try SessionStage()
    let id = try #require(sound.session.id).number
    try sound.it.daemon.send("event cut session=\(id) reason=no-device")
    try sound.expect([
      .failed(.refused("the session was cut off: no sound device can be opened (see lull doctor)"))
    ])
    #expect(sound.session.state == .cut)
    sound.player.ringDoorbell()
    try sound.settle()
    #expect(sound.events.isEmpty)
  }

  @Test func `A session that its ring reports as cut is closed`() throws {
    let sound = try SessionStage()
    sound.player.ring.setError(.badPosition)
    sound.player.enter(.cut)
    try sound.expect([
      .failed(.refused("the session was cut off: the positions in its ring contradict each other"))
    ])
    #expect(sound.it.application.sessions.isEmpty)
  }

  @Test func `A restarted daemon gets the same ring and a new doorbell`() throws {
    let sound = try SessionStage()
    let (session, it) = (sound.session, sound.it)
    _ = session.write([UInt8](repeating: 1, count: 600))
    sound.player.move(to: 500)
    session.askForFrames(when: 50)
    let requests = try it.restarted(4)
    #expect(requests[1] == "ring")
    #expect(requests[3].hasPrefix("session category=playback direction=play rate=8000"))
    try it.until { session.id != nil }
    let player = try FakePlayer(it, capacity: session.capacity, frameBytes: 1)
    #expect(player.memory == sound.player.memory)
    #expect(player.ring.request().written == 600)
    #expect(player.ring.moved == 500)
    #expect(try player.wasRung())
    player.move(to: 551)
    player.ringDoorbell()
    try sound.expect([.wantsFrames])
  }

  @Test func `A session that the new daemon refuses fails`() throws {
    let sound = try SessionStage()
    sound.it.daemon.answer {
      $0.hasPrefix("session") ? "error code=too-many-sessions message=\"at most 1\"" : nil
    }
    _ = try sound.it.restarted(4)
    try sound.expect([.failed(.limitReached("at most 1"))])
  }

  @Test func `What is opened while the daemon is away is opened with the next one`() throws {
    let it = try Managed()
    it.daemon.hangUp()
    try it.until { !it.application.link.isUp }
    let session = try AudioSession(
      it.application, category: .playback, format: #require(SessionStage.format)
    ) { _, _ in }
    session.play()
    #expect(session.write([1, 2]) == 2)
    try it.until { session.id != nil }
    let player = try FakePlayer(it, capacity: session.capacity, frameBytes: 1)
    #expect(player.ring.request().transport == .play)
    #expect(try player.wasRung())
  }

  @Test func `A lost lull-audio is nothing to the program, which comes to rest`() throws {
    let sound = try SessionStage()
    sound.player.close()
    sound.it.application.dispatch()
    try sound.settle()
    sound.session.play()
    #expect(sound.events.isEmpty)
  }

  @Test func `A program that is woken to refill fills its deep buffer and sleeps again`() throws {
    let it = try Managed()
    let format = try #require(SessionStage.format)
    var told: [String] = []
    let deep = try AudioSession(
      it.application, category: .playback, format: format, buffer: .deep(seconds: 2, lowWater: 0.5)
    ) { session, event in
      told.append("deep \(event)")
      #expect(session.write([UInt8](repeating: 1, count: 16_000)) == 16_000)
      it.application.finishedHandlingWake()
    }
    let shallow = try AudioSession(it.application, category: .playback, format: format) { _, event in
      told.append("shallow \(event)")
    }
    try it.daemon.send("event wake ticket=9 reason=refill")
    #expect(try it.requests(7).last == "done ticket=9")
    #expect(told == ["deep wantsFrames"])
    #expect(it.application.wakeReason == .refill)
    #expect(deep.queuedFrames == 16_000)
    #expect(shallow.queuedFrames == 0)
  }

  @Test func `A program that leaves closes its sessions`() throws {
    let sound = try SessionStage()
    let id = try #require(sound.session.id).number
    sound.it.application.leave()
    let daemon = sound.it.daemon
    try sound.it.until { daemon.requests.last == "bye" }
    #expect(daemon.requests == ["end-session session=\(id)", "bye"])
  }
}
