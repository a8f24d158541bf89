import LullModel
import LullRing
import TestSupport
import Testing

/// PipeWire in PulseAudio's place. It plays in steps of its own, and keeps frames that fill none until more
/// come.
@Suite(.serialized, .bounded) struct PipeWireTests {
  private let sink: AudioSink

  init() throws { sink = try AudioSink(.pipeWire) }

  private func expect(_ content: [UInt32], in recorder: Recorder) throws {
    try recorder.until("the end is not heard") { $0.last { $0 != 0 } == content.last }
    let isWhole = recorder.frames.filter { $0 != 0 } == content
    #expect(isWhole, "\(recorder.frames.count { $0 != 0 }) frames of \(content.count)")
  }

  @Test(arguments: [100_100, 24_001, 700])
  func `what is drained is heard to the last frame, without a gap`(count: Int) throws {
    let process = try AudioProcess(sink)
    let recorder = try sink.record()
    let session = try TestSession(process, frames: 120_000)
    let content = noise(count)
    session.write(content[...])
    try session.setTransport(.drain)
    try session.await(.drained)
    #expect(Int(session.moved) == count)
    try expect(content, in: recorder)
    let begin = try #require(recorder.frames.firstIndex { $0 != 0 })
    let isClosed = recorder.frames[begin...].prefix(count).elementsEqual(content)
    #expect(isClosed, "there is a gap")
  }

  @Test func `what runs dry is heard to the last frame, and goes on`() throws {
    let process = try AudioProcess(sink)
    let recorder = try sink.record()
    let session = try TestSession(process, frames: 120_000)
    let content = noise(60_200)
    session.write(content[..<30_100])
    try session.setTransport(.play)
    try session.await(.starved)
    #expect(session.moved == 30_100)
    try expect(Array(content[..<30_100]), in: recorder)
    session.write(content[30_100...])
    try session.setTransport(.drain)
    try session.await(.drained)
    try expect(content, in: recorder)
  }
}
