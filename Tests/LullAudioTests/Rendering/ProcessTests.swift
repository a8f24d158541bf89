import LullAudio
import LullRing
import LullSystem
import LullWire
import TestSupport
import Testing

/// lull-audio from its socket pair to the output of the device.
@Suite(.serialized, .bounded) struct ProcessTests {
  private let sink: AudioSink
  private let process: AudioProcess

  init() throws {
    sink = try AudioSink()
    process = try AudioProcess(sink)
  }

  /// The index of the content's first frame in the recording.
  private func start(of content: [UInt32], in frames: [UInt32]) throws -> Int {
    try #require(frames.firstIndex(of: content[0]), "its beginning is not heard")
  }

  /// Expects the recording to begin with the content.
  private func expectSame(_ recorded: ArraySlice<UInt32>, _ content: ArraySlice<UInt32>) {
    let different = zip(recorded, content).enumerated().first { $0.element.0 != $0.element.1 }
    let isSame = different == nil && recorded.count >= content.count
    let place = recorded.first.flatMap { content.firstIndex(of: $0) }.map { $0 - content.startIndex }
    #expect(
      isSame,
      "differs after \(different?.offset ?? recorded.count) of \(content.count); begins at \(place ?? -1)"
    )
  }

  @Test func `sixteen bits at unity gain come out bit for bit, without a gap`() throws {
    let recorder = try sink.record()
    let session = try TestSession(process)
    let content = noise(100_000)
    try session.play(content) { try recorder.read() }
    #expect(session.moved == 100_000)
    #expect(session.get32(.starved) == 0)
    try recorder.until("the end is not heard") { $0.last(where: { $0 != 0 }) == content.last }
    let first = try start(of: content, in: recorder.frames)
    expectSame(recorder.frames[first...], content[...])
    try process.message("began")
    try process.message("ended")
  }

  @Test func `two sessions are mixed, the quieter one as loud as its gain says`() throws {
    let recorder = try sink.record()
    let one = try TestSession(process, id: 1, frames: 96_000)
    let other = try TestSession(process, id: 2, frames: 96_000)
    // 0x1000 and half of 0x0800 on the left, nothing on the right.
    one.write([UInt32](repeating: 0x1000, count: 72_000)[...])
    other.write([UInt32](repeating: 0x0800, count: 72_000)[...])
    other.set32(.gain, Float(0.5).bitPattern)
    try other.setTransport(.play)
    try one.setTransport(.play)
    try recorder.until("the sum is not heard") { $0.contains(0x1400) }
    try process.tell("order session=2 order=hold")
    try other.await(.held)
    let mixed = recorder.frames.count
    try recorder.until("the one alone is not heard") { $0.dropFirst(mixed + 4800).contains(0x1000) }
    #expect(other.moved < 72_000)
  }

  @Test func `a pause holds the frame that is heard, and play goes on with it`() throws {
    let recorder = try sink.record()
    let session = try TestSession(process, frames: 96_000)
    let content = noise(96_000)
    session.write(content[...])
    try session.setTransport(.play)
    try recorder.until("nothing is heard") { $0.count { $0 != 0 } > 24_000 }
    try session.setTransport(.pause)
    try session.await(.paused)
    let moved = Int(session.moved)
    #expect(moved > 0 && moved < 96_000)
    // The 50 ms that the null sink has taken already play all the same.
    try recorder.until("no silence is heard") { $0.suffix(4800).allSatisfy { $0 == 0 } }
    let heard = recorder.frames.count { $0 != 0 }
    #expect(heard >= moved && heard < moved + 9600, "heard \(heard), moved \(moved)")
    let paused = recorder.frames.count
    try session.setTransport(.drain)
    try session.await(.drained)
    try recorder.until("the end is not heard") { $0.last(where: { $0 != 0 }) == content.last }
    let again = try #require(recorder.frames[paused...].firstIndex { $0 != 0 })
    expectSame(recorder.frames[again...], content[moved...])
  }

  @Test func `stop drops the rest`() throws {
    let session = try TestSession(process, frames: 96_000)
    session.write(noise(90_000)[...])
    try session.setTransport(.play)
    try eventually("it does not play") { session.moved > 1000 }
    try session.setTransport(.stop)
    try session.await(.idle)
    #expect(session.moved == 90_000)
    try process.message("began")
    try process.message("ended")
  }

  @Test func `the doorbell rings once for each value of its word`() throws {
    let session = try TestSession(process, frames: 96_000)
    session.write(noise(90_000)[...])
    session.set64(.doorbellAt, 24_000)
    try session.setTransport(.play)
    try eventually("the doorbell is not rung") { session.get32(.rungFor) == 24_000 }
    #expect(session.moved >= 24_000 && session.moved < 60_000)
    try ready(session.doorbell.raw, .readable, "no byte in the socket pair")
    session.set64(.doorbellAt, 48_000)
    try session.look()
    try eventually("the doorbell is not rung again") { session.get32(.rungFor) == 48_000 }
    #expect(session.moved >= 48_000)
  }

  @Test
  func `a deep session is low below its mark, low again when it is empty, and filled when it is filled`()
    throws
  {
    let session = try TestSession(process, frames: 96_000, "order=play lowWater=48000")
    session.write(noise(96_000)[...])
    try session.setTransport(.play)
    try process.message("low")
    #expect(session.written - session.moved < 48_000)
    try session.await(.starved)
    try process.message("low")
    session.write(noise(90_000)[...])
    try session.look()
    try process.message("filled")
    try session.await(.running)
  }

  @Test
  func `a program is sounding when it was heard, and has the owner's hangover when its session is closed`()
    throws
  {
    let session = try TestSession(process, id: 5, frames: 96_000, "order=play silence=2.5")
    session.write(noise(96_000)[...])
    try session.setTransport(.play)
    for scope in ["all", "live"] {
      let sounding = try process.message("sounding")
      #expect(sounding["program"] == "5" && sounding["of"] == scope)
    }
    try process.tell("close session=5")
    for scope in ["all", "live"] {
      let quiet = try process.message("quiet")
      #expect(quiet["program"] == "5" && quiet["of"] == scope)
      let seconds = try #require(quiet["seconds"].flatMap { Double($0) })
      #expect(seconds > 0 && seconds <= 0.5)
    }
  }

  @Test func `it ends when lulld is gone`() throws {
    _ = try TestSession(process)
    process.link.close()
    #expect(try process.child.end() == .exited(0))
  }

  @Test func `what plays goes on for the next lulld without a missing frame, under other numbers`() throws {
    let recorder = try sink.record()
    let one = try TestSession(process, id: 1, frames: 96_000)
    let silent = try TestSession(process, id: 2, frames: 96_000)
    let content = noise(90_000)
    one.write(content[...])
    silent.write([UInt32](repeating: 0, count: 96_000)[...])
    try one.setTransport(.play)
    try silent.setTransport(.play)
    try recorder.until("nothing is heard") { $0.count { $0 != 0 } > 12_000 }
    try process.follow()
    try process.tellStatusPage()
    try silent.openAgain(process, id: 1)
    try one.openAgain(process, id: 2)
    for _ in 1...2 { try process.message("began") }
    #expect(try process.message("sounding")["program"] == "2")
    try one.setTransport(.drain)
    try recorder.until("the end is not heard") { $0.last(where: { $0 != 0 }) == content.last }
    let first = try start(of: content, in: recorder.frames)
    expectSame(recorder.frames[first...], content[...])
    #expect(try process.message("drained")["session"] == "2")
  }

  @Test func `it ends when the next lulld does not come, or is gone`() throws {
    try process.follow()
    #expect(try process.child.end() == .exited(0))
    let other = try AudioProcess(sink)
    try other.follow()
    other.link.close()
    #expect(try other.child.end() == .exited(0))
  }

  @Test func `a session that its program does not open again ends under the next lulld`() throws {
    _ = try TestSession(process, id: 7)
    try eventually("no session stands on the status page") {
      word(8) >> 32 == 0 && word(8) & 0xffff_ffff == 1
    }
    try process.follow()
    try process.tellStatusPage()
    try eventually("the session goes on") { word(8) & 0xffff_ffff == 0 }
  }

  /// 64 bits of the status page.
  private func word(_ offset: Int) -> UInt64 {
    unsafe process.statusPage.base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }

  @Test func `the status page shows the device and the session`() throws {
    let session = try TestSession(process, id: 7, frames: 96_000)
    session.write(noise(96_000)[...])
    try session.setTransport(.play)
    try eventually("no session stands on the status page") {
      word(8) == 1 | 1 << 32 && word(64) == 7 && word(80) > 0
    }
    #expect(word(0) == 1)
    #expect(word(16) == 0x0074_6c75_6166_6564, "not the name \"default\"")
    let level = Int32(truncatingIfNeeded: word(72))
    #expect(level > -2000 && level < 500)
  }
}
