import LullEngine
import LullRing
import LullSystem
import TestSupport
import Testing

@testable import Lull

@Suite(.bounded) struct AudioSessionTests {
  @Test func `A session is opened with its ring, its doorbell and what it is`() throws {
    let it = try Managed()
    let format = try #require(AudioFormat(rate: 48_000, channels: 2, sample: .s16))
    let session = try AudioSession(
      it.application, category: .playAndRecord, options: [.mixWithOthers, .duckOthers, .spokenContent],
      format: format, buffer: .deep(seconds: 10, lowWater: 2), latency: 0.25
    ) { _, _ in }
    let doorbell = try #require(it.daemon.requests.dropFirst().first)
    let inode = try #require(doorbell.fields["inode"])
    #expect(
      it.daemon.requests == [
        "ring", "doorbell inode=\(inode)",
        "session category=playAndRecord direction=play rate=48000 channels=2 format=s16 frames=480000 mix"
          + " duck spoken lowWater=96000 latency=0.25",
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
    let sound = try SessionStage()
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

  @Test func `The transport and the gain are told with the doorbell`() throws {
    let sound = try SessionStage()
    let (session, player) = (sound.session, sound.player)
    _ = try player.wasRung()
    for (act, transport) in [
      ({ session.play() }, RingRequest.Transport.play), ({ session.pause() }, .pause),
      ({ session.drain() }, .drain),
      ({ session.stop() }, .stop),
    ] {
      act()
      #expect(player.ring.request().transport == transport)
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
    let sound = try SessionStage()
    let (session, player) = (sound.session, sound.player)
    _ = session.write([UInt8](repeating: 1, count: 1000))
    session.askForFrames(when: 400)
    #expect(player.ring.request().doorbellAt == 601)
    player.move(to: 600)
    player.ringDoorbell()
    try sound.settle()
    #expect(sound.events.isEmpty)
    // Frames that are written meanwhile move the mark.
    #expect(session.write([UInt8](repeating: 1, count: 100)) == 100)
    #expect(player.ring.request().doorbellAt == 701)
    player.move(to: 701)
    player.ringDoorbell()
    player.ringDoorbell()
    try sound.expect([.wantsFrames])
    // The condition holds already: no doorbell is needed.
    session.askForFrames(when: 400)
    try sound.expect([.wantsFrames])
    player.ringDoorbell()
    try sound.settle()
    #expect(sound.events.isEmpty)
  }

  @Test func `A ring that ran dry asks for frames, and rings when it gets some`() throws {
    let sound = try SessionStage()
    sound.session.play()
    _ = try sound.player.wasRung()
    sound.player.ring.setStarved(1)
    sound.player.enter(.starved)
    try sound.expect([.stateChanged(.starved), .wantsFrames])
    #expect(sound.session.write([1]) == 1)
    #expect(try sound.player.wasRung())
    sound.player.enter(.running)
    sound.player.ringDoorbell()
    try sound.expect([.stateChanged(.running)])
  }

  @Test func `A seek drops what is not heard`() throws {
    let sound = try SessionStage()
    let (session, player) = (sound.session, sound.player)
    _ = session.write([UInt8](repeating: 1, count: 1000))
    player.move(to: 300)
    session.flush()
    #expect(player.ring.request().flushed == 1000)
    #expect(session.queuedFrames == 0)
    // The room is there once lull-audio has seen the flush.
    #expect(session.writableFrames == 300)
    #expect(session.write([2]) == 1)
    #expect(session.queuedFrames == 1)
    player.move(to: 1000)
    #expect(session.writableFrames == 999)
  }

  @Test func `What is written after a stop waits until it has halted, or plays on`() throws {
    let sound = try SessionStage()
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
    let sound = try SessionStage()
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
    let sound = try SessionStage(direction: .capture)
    let (session, player) = (sound.session, sound.player)
    session.askForFrames(when: 200)
    #expect(player.ring.request().doorbellAt == 200)
    let bytes = (0..<1400).map { UInt8(truncatingIfNeeded: $0 &* 3) }
    player.capture(Array(bytes[..<700]))
    player.ringDoorbell()
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
    let sound = try SessionStage(direction: .capture)
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
    let sound = try SessionStage(direction: .capture)
    sound.player.move(to: .max)
    #expect(sound.session.read(atMost: 2000).count == 1000)
    sound.session.askForFrames(when: 200)
    #expect(sound.session.readableFrames == 0)
  }

  @Test func `A ring in which lull-audio's positions make no sense does no harm`() throws {
    let sound = try SessionStage()
    _ = sound.session.write([1, 2, 3])
    sound.player.move(to: .max)
    #expect(sound.session.queuedFrames == 0)
    #expect(sound.session.writableFrames == 1000)
    #expect(sound.session.write([4]) == 1)
  }
}
