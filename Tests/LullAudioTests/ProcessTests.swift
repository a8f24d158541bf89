import LullAudio
import LullSystem
import LullWire
import Testing

/// lull-audio from its socket pair to what comes out of the device.
@Suite(.serialized) struct ProcessTests {
  private let sink: SoundSink
  private let process: AudioProcess

  init() throws {
    sink = try SoundSink()
    process = try AudioProcess(sink)
  }

  @Test func `sixteen bits at unity gain come out bit for bit, without a gap`() throws {
    let recorder = try sink.record()
    let session = try TestSession(process)
    let content = noise(100_000)
    try session.play(content) { try recorder.read() }
    #expect(session.moved == 100_000)
    #expect(session.get32(.starved) == 0)
    try recorder.until("the end is not heard") { $0.last(where: { $0 != 0 }) == content.last }
    let first = try #require(recorder.frames.firstIndex(of: content[0]))
    #expect(Array(recorder.frames[first..<first + content.count]) == content)
    _ = try process.message("began")
    _ = try process.message("ended")
  }
}
