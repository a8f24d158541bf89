import LullEngine
import LullSystem
import Testing

@testable import Lull

/// A session of 1,000 frames of one byte, and the test's half of it.
private final class Sound {
  let it: Managed
  let session: AudioSession
  let player: FakePlayer
  var events: [AudioSession.Event] { log.events }
  private let log = Log()

  final class Log { var events: [AudioSession.Event] = []; var onWants: ((AudioSession) -> Void)? }

  static let format = AudioFormat(rate: 8000, channels: 1, sample: .u8)
  static let capacity = 1000

  init(
    direction: AudioSession.Direction = .play, buffer: AudioSession.Buffer = .shallow(seconds: 0.125),
    onWants: ((AudioSession) -> Void)? = nil
  ) throws {
    it = try Managed()
    let log = log
    log.onWants = onWants
    session = try AudioSession(
      it.application, category: direction == .play ? .playback : .record, direction: direction,
      format: #require(Sound.format), buffer: buffer
    ) { session, event in
      log.events.append(event)
      if event == .wantsFrames { log.onWants?(session) }
    }
    player = try FakePlayer(it, capacity: session.capacity, frameBytes: 1)
    it.daemon.forget()
  }

  /// Lets the loop run until the events are these.
  func expect(_ expected: [AudioSession.Event]) throws {
    try it.until("the events are \(log.events)") { self.log.events.count >= expected.count }
    try settle()
    #expect(log.events == expected)
    log.events.removeAll()
  }

  /// Lets the loop run until nothing is to be done.
  func settle() throws {
    var rounds = 0
    while try Socket.poll(it.application.fileDescriptor, .readable, timeoutMilliseconds: 0) != [] {
      it.application.dispatch()
      rounds += 1
      try #require(rounds < 100, "the loop does not come to rest")
    }
  }
}

@Suite struct AudioSessionTests {
  @Test func `A session is opened with its ring, its bell and what it is`() throws {
    let it = try Managed()
    let format = try #require(AudioFormat(rate: 48_000, channels: 2, sample: .s16))
    let session = try AudioSession(
      it.application, category: .playAndRecord, options: [.mixWithOthers, .duckOthers, .spokenContent],
      format: format, buffer: .deep(seconds: 10, lowWater: 2), latency: 0.25
    ) { _, _ in }
    let bell = try #require(it.daemon.requests.dropFirst().first)
    let inode = try #require(bell.fields["inode"])
    #expect(
      it.daemon.requests == [
        "ring", "bell inode=\(inode)",
        "session category=playAndRecord direction=play rate=48000 channels=2 format=s16 frames=480000 mix duck"
          + " spoken lowWater=96000 latency=0.25",
      ])
    #expect(session.capacity == 480_000)
    #expect(session.state == .idle)
    #expect(session.gain == 1)
    let id = try #require(session.id)
    session.close()
    session.close()
    #expect(try it.requests(4).last == "end-session session=\(id.number)")
    #expect(it.daemon.requests.count == 4)
  }

  @Test func `What is written stands in the ring, around its end as well`() throws {
    let sound = try Sound()
    let (session, player) = (sound.session, sound.player)
    let bytes = (0..<1500).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    #expect(session.write(bytes) == 1000)
    #expect(session.write(bytes) == 0)
    #expect(session.queuedFrames == 1000)
    player.move(to: 600)
    #expect(session.writableFrames == 600)
    #expect(session.write(Array(bytes[1000...])) == 500)
    #expect(session.written == 1500)
    #expect(player.ring.request().written == 1500)
    #expect(player.frames(from: 600, count: 900) == Array(bytes[600...]))
    #expect(session.queuedFrames == 900)
  }

  @Test func `Commands and the gain are told with the bell`() throws {
    let sound = try Sound()
    let (session, player) = (sound.session, sound.player)
    _ = try player.wasRung()
    for (act, command) in [
      ({ session.play() }, RingRequest.Command.play), ({ session.pause() }, .pause),
      ({ session.drain() }, .drain),
      ({ session.stop() }, .stop),
    ] {
      act()
      #expect(player.ring.request().command == command)
      #expect(try player.wasRung())
    }
    for (gain, heard) in [(0.5, 0.5), (2, 1), (-1, 0), (Float.nan, 0)] as [(Float, Float)] {
      session.gain = gain
      #expect(player.ring.request().gain == heard)
      #expect(try player.wasRung())
    }
    _ = session.write([1, 2, 3])
    #expect(try !player.wasRung())
  }

  @Test func `Frames are asked for once, when fewer are queued than were named`() throws {
    let sound = try Sound()
    let (session, player) = (sound.session, sound.player)
    _ = session.write([UInt8](repeating: 1, count: 1000))
    session.askForFrames(when: 400)
    #expect(player.ring.request().bellAt == 601)
    player.move(to: 600)
    player.ringBell()
    try sound.settle()
    #expect(sound.events.isEmpty)
    // What is written meanwhile moves the mark.
    #expect(session.write([UInt8](repeating: 1, count: 100)) == 100)
    #expect(player.ring.request().bellAt == 701)
    player.move(to: 701)
    player.ringBell()
    player.ringBell()
    try sound.expect([.wantsFrames])
    // It is so already: no bell is needed.
    session.askForFrames(when: 400)
    try sound.expect([.wantsFrames])
    player.ringBell()
    try sound.settle()
    #expect(sound.events.isEmpty)
  }

  @Test func `A ring that ran dry asks for frames, and rings when it gets some`() throws {
    let sound = try Sound()
    sound.session.play()
    _ = try sound.player.wasRung()
    sound.player.ring.setStarved(1)
    sound.player.enter(.starved)
    try sound.expect([.stateChanged(.starved), .wantsFrames])
    #expect(sound.session.write([1]) == 1)
    #expect(try sound.player.wasRung())
    sound.player.enter(.running)
    sound.player.ringBell()
    try sound.expect([.stateChanged(.running)])
  }

  @Test func `A seek drops what is not heard`() throws {
    let sound = try Sound()
    let (session, player) = (sound.session, sound.player)
    _ = session.write([UInt8](repeating: 1, count: 1000))
    player.move(to: 300)
    session.flush()
    #expect(player.ring.request().flushed == 1000)
    #expect(session.queuedFrames == 0)
    // The room is there when lull-audio has looked.
    #expect(session.writableFrames == 300)
    #expect(session.write([2]) == 1)
    #expect(session.queuedFrames == 1)
    player.move(to: 1000)
    #expect(session.writableFrames == 999)
  }

  @Test func `What is written after a stop waits until it has halted, or plays on`() throws {
    let sound = try Sound()
    let (session, player) = (sound.session, sound.player)
    session.stop()
    #expect(session.write([1, 2]) == 2)
    session.play()
    player.enter(.running)
    try sound.expect([.stateChanged(.running)])
    session.stop()
    #expect(player.ring.request().flushed == 2)
    #expect(session.writableFrames == 0)
    #expect(session.write([3]) == 0)
    session.askForFrames(when: 1)
    player.enter(.idle, moved: 2)
    try sound.expect([.stateChanged(.idle), .wantsFrames])
    #expect(session.write([3]) == 1)
    session.play()
    player.enter(.running)
    session.stop()
    session.play()
    #expect(session.write([4]) == 1)
  }

  @Test func `The position goes on by the clock as far as the device has frames, and never back`() throws {
    let sound = try Sound()
    let (session, player) = (sound.session, sound.player)
    _ = session.write([UInt8](repeating: 1, count: 1000))
    player.ring.setTaken(500)
    player.ring.setMoved(100, at: Clock.boottime() - 10_000_000_000)
    #expect(session.position == 100)
    player.enter(.running)
    #expect(session.position == 500)
    player.ring.setMoved(200, at: Clock.boottime())
    #expect(session.position == 500)
    player.enter(.paused, moved: 600)
    #expect(session.position == 600)
  }

  @Test func `Captured frames are read, and asked for`() throws {
    let sound = try Sound(direction: .capture)
    let (session, player) = (sound.session, sound.player)
    session.askForFrames(when: 200)
    #expect(player.ring.request().bellAt == 200)
    let bytes = (0..<1400).map { UInt8(truncatingIfNeeded: $0 &* 3) }
    player.capture(Array(bytes[..<700]))
    player.ringBell()
    try sound.expect([.wantsFrames])
    #expect(session.readableFrames == 700)
    #expect(session.read(atMost: 500) == Array(bytes[..<500]))
    #expect(player.ring.request().written == 500)
    player.capture(Array(bytes[700...]))
    #expect(session.read(atMost: 2000) == Array(bytes[500...]))
    #expect(session.read(atMost: 2000).isEmpty)
    #expect(session.write([1]) == 0)
  }

  @Test func `Frames that were captured over are passed by, and the newest are read once`() throws {
    let sound = try Sound(direction: .capture)
    let (session, player) = (sound.session, sound.player)
    let bytes = (0..<2600).map { UInt8(truncatingIfNeeded: $0 &* 3) }
    player.capture(Array(bytes[..<2500]))
    #expect(session.readableFrames == 1000)
    #expect(session.read(atMost: 400) == Array(bytes[1500..<1900]))
    #expect(player.ring.request().written == 1900)
    player.capture(Array(bytes[2500...]))
    #expect(session.read(atMost: 2000) == Array(bytes[1900...]))
    #expect(session.read(atMost: 2000).isEmpty)
  }

  @Test func `A captured position that makes no sense does no harm`() throws {
    let sound = try Sound(direction: .capture)
    sound.player.move(to: .max)
    #expect(sound.session.read(atMost: 2000).count == 1000)
    sound.session.askForFrames(when: 200)
    #expect(sound.session.readableFrames == 0)
  }

  @Test func `A ring in which lull-audio's positions make no sense does no harm`() throws {
    let sound = try Sound()
    _ = sound.session.write([1, 2, 3])
    sound.player.move(to: .max)
    #expect(sound.session.queuedFrames == 0)
    #expect(sound.session.writableFrames == 1000)
    #expect(sound.session.write([4]) == 1)
  }
}

@Suite struct AudioSessionLifeTests {
  @Test func `Interruptions and routes are told`() throws {
    let sound = try Sound()
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
    let sound = try Sound()
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
    let sound = try Sound()
    let id = try #require(sound.session.id).number
    try sound.it.daemon.send("event cut session=\(id) reason=no-device")
    try sound.expect([
      .failed(.refused("the session was cut off: no sound device can be opened (see lull doctor)"))
    ])
    #expect(sound.session.state == .cut)
    sound.player.ringBell()
    try sound.settle()
    #expect(sound.events.isEmpty)
  }

  @Test func `A session that its ring reports as cut is closed`() throws {
    let sound = try Sound()
    sound.player.ring.setError(.badPosition)
    sound.player.enter(.cut)
    try sound.expect([
      .failed(.refused("the session was cut off: the positions in its ring contradict each other"))
    ])
    #expect(sound.it.application.sessions.isEmpty)
  }

  @Test func `A restarted daemon gets the same ring and a new bell`() throws {
    let sound = try Sound()
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
    player.ringBell()
    try sound.expect([.wantsFrames])
  }

  @Test func `A session that the new daemon refuses fails`() throws {
    let sound = try Sound()
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
      it.application, category: .playback, format: #require(Sound.format)
    ) { _, _ in }
    session.play()
    #expect(session.write([1, 2]) == 2)
    try it.until { session.id != nil }
    let player = try FakePlayer(it, capacity: session.capacity, frameBytes: 1)
    #expect(player.ring.request().command == .play)
    #expect(try player.wasRung())
  }

  @Test func `A lost lull-audio is nothing to the program, which comes to rest`() throws {
    let sound = try Sound()
    sound.player.close()
    sound.it.application.dispatch()
    try sound.settle()
    sound.session.play()
    #expect(sound.events.isEmpty)
  }

  @Test func `A program that is woken to refill fills its deep buffer and sleeps again`() throws {
    let it = try Managed()
    let format = try #require(Sound.format)
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
    let sound = try Sound()
    let id = try #require(sound.session.id).number
    sound.it.application.leave()
    let daemon = sound.it.daemon
    try sound.it.until { daemon.requests.last == "bye" }
    #expect(daemon.requests == ["end-session session=\(id)", "bye"])
  }
}
