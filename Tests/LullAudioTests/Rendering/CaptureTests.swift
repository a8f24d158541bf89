import LullAudio
import LullRing
import LullSystem
import LullWire
import TestSupport
import Testing

/// Capturing from the monitor of the sink, to which another session plays.
@Suite(.serialized, .bounded) struct CaptureTests {
  private let sink: AudioSink
  private let process: AudioProcess

  init() throws {
    sink = try AudioSink()
    process = try AudioProcess(sink)
  }

  @Test func `what is played is captured, in the format of the session`() throws {
    let capture = try TestSession(process, id: 1, frames: 480_000, direction: "capture")
    try capture.setTransport(.play)
    try process.message("began")
    let content = noise(48_000)
    let player = try TestSession(process, id: 2, frames: 96_000)
    player.write(content[...])
    try player.setTransport(.drain)
    try player.await(.drained)
    // The played frames are on their way through the monitor; the ring holds ten seconds.
    let end = capture.moved + 48_000
    try eventually("the end is not captured") { capture.moved >= end }
    try capture.setTransport(.stop)
    try capture.await(.idle)
    let heard = (0..<capture.moved).map { capture.frame($0) }.filter { $0 != 0 }
    // The sound server may begin to hand its monitor on a few milliseconds into the sound.
    let isWhole = heard.count > content.count - 480 && content.suffix(heard.count).elementsEqual(heard)
    let same = zip(heard, content.suffix(heard.count)).prefix { $0 == $1 }.count
    #expect(isWhole, "\(heard.count) frames of \(content.count), the first \(same) the same")
  }

  @Test func `its stream bears the names of the programs that record`() throws {
    func isNamed(_ name: String) throws -> Bool {
      let bytes = try output(of: sink.request(["pactl", "list", "source-outputs"]))
      let streams = String(decoding: bytes, as: UTF8.self)
      return ["application.name", "media.name"].allSatisfy { streams.contains("\($0) = \"\(name)\"") }
    }
    let call = try TestSession(
      process, id: 1, frames: 48_000, direction: "capture", "order=play name=baresip")
    try call.setTransport(.play)
    try eventually("its name is not shown") { try isNamed("baresip") }
    let recorder = try TestSession(
      process, id: 2, frames: 48_000, direction: "capture", "order=play name=arecord")
    try recorder.setTransport(.play)
    try eventually("both names are not shown") { try isNamed("arecord, baresip") }
    try call.setTransport(.stop)
    try eventually("who has stopped is still shown") { try isNamed("arecord") }
  }

  @Test func `frames that are not read in time are counted, and the newest stay`() throws {
    let capture = try TestSession(process, frames: 4800, direction: "capture", "order=play latency=0.04")
    try capture.setTransport(.play)
    try eventually("it does not run over") { capture.get32(.starved) == 1 }
    // The count is told before the place.
    try eventually("the newest frames are not there") { capture.moved > 4800 }
    capture.set64(.written, capture.moved)
    try eventually("it does not run over again") { capture.get32(.starved) == 2 }
  }

  @Test func `a doorbell rings when so many frames are captured`() throws {
    let capture = try TestSession(process, rate: 16_000, channels: 1, frames: 16_000, direction: "capture")
    capture.set64(.doorbellAt, 4000)
    try capture.setTransport(.play)
    try eventually("the doorbell is not rung") { capture.get32(.rungFor) == 4000 }
    #expect(capture.moved >= 4000)
  }

  @Test func `a program that has read more than was captured is cut off`() throws {
    let capture = try TestSession(process, frames: 48_000, direction: "capture")
    capture.set64(.written, 1_000_000)
    try capture.setTransport(.play)
    #expect(try process.message("cut")["reason"] == "bad-position")
    try capture.await(.cut)
  }
}
