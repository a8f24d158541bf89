import LullModel
import LullRing
import TestSupport
import Testing

/// PipeWire in PulseAudio's place. It plays in steps of its own, and keeps frames that fill none until more
/// come.
@Suite(.serialized, .bounded) struct PipeWireTests {
  private let sink: AudioSink

  init() throws { sink = try AudioSink(.pipeWire) }

  /// Waits for the last frame. PipeWire leaves whole steps out on a machine that is busy: what is heard has
  /// to be in order, and nothing twice.
  private func expectEnd(of content: ArraySlice<UInt32>, in recorder: Recorder) throws {
    try recorder.until("the end is not heard") { $0.last { $0 != 0 } == content.last }
    var rest = content
    let isInOrder = recorder.frames.filter { $0 != 0 }.allSatisfy { frame in
      guard let place = rest.firstIndex(of: frame) else { return false }
      rest = rest[(place + 1)...]
      return true
    }
    #expect(isInOrder)
  }

  @Test(arguments: [100_100, 24_001, 700])
  func `what is drained is heard to the last frame`(count: Int) throws {
    let process = try AudioProcess(sink)
    let recorder = try sink.record()
    let session = try TestSession(process, frames: 120_000)
    let content = noise(count)
    session.write(content[...])
    try session.setTransport(.drain)
    try session.await(.drained)
    #expect(Int(session.moved) == count)
    try expectEnd(of: content[...], in: recorder)
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
    try expectEnd(of: content[..<30_100], in: recorder)
    session.write(content[30_100...])
    try session.setTransport(.drain)
    try session.await(.drained)
    try expectEnd(of: content[...], in: recorder)
  }
}
