import LullAudio
import LullRing
import LullSystem
import LullWire
import TestSupport
import Testing

/// Programs that lie, and devices that fail.
@Suite(.serialized, .bounded) struct FaultTests {
  private let sink: AudioSink

  init() throws { sink = try AudioSink() }

  enum Lie: CaseIterable { case beyond, huge, transport }

  @Test(arguments: Lie.allCases)
  func `a ring whose words lie is given up, and the others play on`(lie: Lie) throws {
    let process = try AudioProcess(sink)
    let honest = try TestSession(process, id: 1, frames: 96_000)
    let liar = try TestSession(process, id: 2, frames: 96_000)
    for session in [honest, liar] {
      session.write(noise(90_000)[...])
      try session.setTransport(.play)
      try session.await(.running)
    }
    switch lie {
    case .beyond: liar.set64(.written, liar.moved + 96_000 + 48_000)
    case .huge: liar.set64(.written, .max)
    case .transport: liar.set32(.transport, 99)
    }
    try liar.look()
    let cut = try process.message("cut")
    #expect(cut["session"] == "2" && cut["reason"] == "bad-position")
    try liar.await(.cut)
    #expect(liar.get32(.error) == CutReason.badPosition.ringNumber)
    let moved = honest.moved
    try eventually("the honest session does not go on") { honest.moved > moved + 24_000 }
    #expect(honest.state == .running)
  }

  @Test(arguments: ["play", "capture"], [UInt64.max - 100, 1 << 63, 1 << 60])
  func `a ring that claims to have come where no session can is given up`(direction: String, moved: UInt64)
    throws
  {
    let process = try AudioProcess(sink)
    let liar = try TestSession(
      process, direction: direction, words: [(.moved, moved), (.written, moved), (.doorbellAt, .max)])
    #expect(try process.message("cut")["reason"] == "bad-position")
    try liar.await(.cut)
    #expect(liar.get32(.error) == CutReason.badPosition.ringNumber)
  }

  @Test func `a session that goes on far from its beginning, with a doorbell at no frame, plays`() throws {
    let process = try AudioProcess(sink)
    let moved: UInt64 = (1 << 60) - 1
    let session = try TestSession(
      process,
      words: [(.moved, moved), (.written, moved + 24_000), (.doorbellAt, .max), (.flushed, moved + 1000)])
    try session.setTransport(.drain)
    try session.await(.drained)
    #expect(session.moved == moved + 24_000)
  }

  @Test(arguments: ["play", "capture"])
  func `a stop that was said while nobody listened is obeyed by the next one`(direction: String) throws {
    let process = try AudioProcess(sink)
    let session = try TestSession(
      process, direction: direction, words: [(.state, UInt64(SessionState.running.ringNumber))])
    try session.await(.idle)
  }

  @Test func `frames that change while they are read do no harm, and NaN is silence`() throws {
    let process = try AudioProcess(sink)
    let session = try TestSession(process, sample: .f32, frames: 48_000)
    for place in 0..<96_000 {
      unsafe session.memory.base.storeBytes(
        of: place % 3 == 0 ? Float.nan : Float.infinity, toByteOffset: 4096 + 4 * place, as: Float.self)
    }
    session.set64(.written, 48_000)
    session.set32(.gain, Float.nan.bitPattern)
    try session.setTransport(.drain)
    var value: UInt8 = 0
    try eventually("it is not drained") {
      value &+= 1
      unsafe session.memory.base.storeBytes(of: value, toByteOffset: 4096 + 3000, as: UInt8.self)
      return session.state == .drained
    }
    #expect(session.moved == 48_000)
    #expect(try !process.said("sounding"))
  }

  @Test func `memory that is not sealed, or of another size, is no ring`() throws {
    let process = try AudioProcess(sink)
    let (short, file) = try SharedMemory.create(name: "ring", count: 4096 + 100)
    #expect(short.count == 4196)
    for (id, ring) in [(1, file.raw), (2, process.child.pidfd)] {
      let (here, there) = try UnixSocket.pair()
      try process.tell("ring", descriptor: ring)
      try process.tell("doorbell", descriptor: there.raw)
      try process.tell(
        "open session=\(id) program=1 category=playback direction=play rate=48000 channels=2 format=s16"
          + " frames=24000 order=play"
      )
      let cut = try process.message("cut")
      #expect(cut["session"] == "\(id)" && cut["reason"] == "bad-format")
      here.close()
    }
  }

  @Test func `after a stall longer than the buffer it goes on, and no frame is lost`() throws {
    let process = try AudioProcess(sink)
    let recorder = try sink.record()
    let session = try TestSession(process, frames: 144_000)
    let content = noise(144_000)
    session.write(content[...])
    try session.setTransport(.drain)
    try recorder.until("nothing is heard") { $0.count { $0 != 0 } > 9600 }
    try process.child.signal(LullSystem.Signal.stop)
    try recorder.until("the device has not run dry") { $0.suffix(9600).allSatisfy { $0 == 0 } }
    try process.child.signal(LullSystem.Signal.continue)
    try session.await(.drained)
    #expect(session.moved == 144_000)
    try recorder.until("the end is not heard") { $0.last(where: { $0 != 0 }) == content.last }
    let isWhole = recorder.frames.filter { $0 != 0 } == content
    #expect(isWhole, "\(recorder.frames.count { $0 != 0 }) frames of \(content.count)")
  }

  @Test func `an unplugged device is tried again, and sound goes on at the frame that was heard`() throws {
    let process = try AudioProcess(sink)
    let session = try TestSession(process, frames: 480_000)
    let content = noise(480_000)
    session.write(content[...])
    try session.setTransport(.play)
    try eventually("it does not play") { session.moved > 24_000 }
    try sink.unplug()
    #expect(try process.message("route")["change"] == "gone")
    let moved = Int(session.moved)
    #expect(session.state == .running)
    #expect(try process.complaint().hasPrefix("lull-audio: no sound: the device"))
    try sink.start()
    let recorder = try sink.record()
    let back = try process.message("route")
    #expect(back["change"] == "new" && back["device"] == "default")
    try eventually("it does not go on") { session.moved > moved + 24_000 }
    try recorder.until("nothing is heard") { $0.contains { $0 != 0 } }
    let first = try #require(recorder.frames.first { $0 != 0 })
    let place = try #require(content.firstIndex(of: first))
    #expect(place >= moved, "heard again from \(place), and \(moved) was heard")
  }

  @Test func `a device that cannot be opened cuts the session soon, with one clear line`() throws {
    let process = try AudioProcess(sink, ["--device", "nosuch"])
    let session = try TestSession(process, frames: 48_000)
    session.write(noise(4800)[...])
    try session.setTransport(.play)
    let line = try process.complaint()
    #expect(line.contains("nosuch") && line.contains("aplay -L") && line.split(separator: "\n").count == 1)
    let cut = try process.message("cut")
    #expect(cut["reason"] == "no-device")
    try session.await(.cut)
    #expect(session.get32(.error) == CutReason.noDevice.ringNumber && session.moved == 0)
  }

  @Test(arguments: [["--device"], ["--close-after", "soon"], ["--loud"]])
  func `wrong options are refused with one line`(arguments: [String]) throws {
    let process = try AudioProcess(sink, arguments)
    #expect(try process.complaint().split(separator: "\n").count == 1)
    #expect(try process.child.end() == .exited(64))
  }
}
