import Lull
import TestSupport
import Testing

@testable import LullPlayer

/// Items that come over the network: they have no description at first, and their frames run out meanwhile.
@Suite(.bounded) struct StreamTests {
  private let description: MediaDescription

  init() throws {
    let format = try #require(FrameFormat(rate: 8000, channels: 2, sample: .s16))
    description = MediaDescription(format: format, tags: Tags(title: "Radio"))
  }

  private func stage(_ count: Int = 1) throws -> Stage {
    let stage = try Stage()
    for number in 0..<count { try stage.player.add(QueueEntry(.stream("http://x/\(number)"))) }
    return stage
  }

  @Test func `a stream is heard when it is known what it is, and goes on when frames come`() throws {
    let stage = try stage()
    try stage.player.play()
    #expect(stage.player.status == .playing && stage.outputs.isEmpty)
    let stream = stage.streams[0]
    stream.become(.ready(description))
    #expect(stage.player.currentItem?.title == "Radio")
    stream.receive(ramp(3000))
    stage.output.hear(1000)
    stage.output.hear(5000)
    #expect(stage.heard == ramp(3000).bytes)
    let asked = stream.pendings
    stage.output.hear(10)
    stage.output.hear(10)
    #expect(stream.pendings - asked <= 2, "an output that has run dry keeps the player busy")
    stream.receive(ramp(2000, from: 3000))
    stream.receive(nil)
    stage.hearAll()
    #expect(stage.heard == ramp(5000).bytes)
    #expect(stage.player.status == .stopped)
  }

  @Test func `what it is called may change while it plays`() throws {
    let stage = try stage()
    try stage.player.play()
    stage.streams[0].become(.ready(description))
    stage.forgetChanges()
    var next = description
    next.tags.title = "News"
    stage.streams[0].become(.ready(next))
    #expect(stage.player.currentItem?.title == "News")
    #expect(stage.changes == [.currentItem])
  }

  @Test func `one that cannot be had is passed over, and a queue of such ends`() throws {
    let stage = try stage(3)
    stage.player.setRepeatMode(.all)
    try stage.player.play()
    for _ in 0..<20 where stage.player.status == .playing {
      stage.streams.last?.become(.failed(.unreadable("nobody answers")))
    }
    #expect(stage.player.status == .stopped)
    #expect(
      stage.player.note == "http://x/2: nobody answers" || stage.player.note?.contains("nobody") == true)
    #expect(stage.player.queue.items.allSatisfy { $0.status == .failed("nobody answers") })
  }

  @Test func `play does not open a stream twice, and a pause meanwhile holds`() throws {
    let stage = try stage()
    try stage.player.play()
    try stage.player.play()
    #expect(stage.streams.count == 1)
    stage.player.pause()
    stage.streams[0].become(.ready(description))
    #expect(stage.player.status == .paused && stage.outputs.isEmpty)
    try stage.player.play()
    #expect(stage.streams.count == 2)
    stage.streams[1].become(.ready(description))
    stage.streams[1].receive(ramp(100))
    stage.output.hear(100)
    #expect(stage.heard == ramp(100).bytes)
  }

  @Test func `a radio is let go by a pause, and begun anew`() throws {
    let stage = try stage()
    try stage.player.play()
    stage.streams[0].isLive = true
    stage.streams[0].become(.ready(description))
    stage.streams[0].receive(ramp(3000))
    stage.output.hear(1600)
    stage.player.pause()
    #expect(stage.player.status == .paused && stage.output.isClosed)
    #expect(stage.player.currentItem?.title == "Radio" && stage.player.position == 0.2)
    stage.streams[0].receive(ramp(100))
    try stage.player.togglePlayPause()
    #expect(stage.streams.count == 2 && stage.player.status == .playing)
    stage.streams[1].isLive = true
    stage.streams[1].become(.ready(description))
    stage.streams[1].receive(ramp(50, from: 9000))
    stage.output.hear(50)
    #expect(stage.heard == ramp(1600).bytes + ramp(50, from: 9000).bytes)
    // A file's connection waits meanwhile.
    stage.streams[1].isLive = false
    stage.player.pause()
    #expect(!stage.output.isClosed)
  }

  @Test func `replay gain is applied to what is heard now, and taken away again`() throws {
    let stage = try stage()
    var loud = description
    loud.gain = ReplayGain(track: -20)
    func begin() {
      stage.streams.last?.isLive = true
      stage.streams.last?.become(.ready(loud))
      stage.streams.last?.receive(ramp(800))
    }
    try stage.player.play()
    begin()
    stage.player.setReplayGain(ReplayGainSettings(mode: .track, preamp: 0))
    #expect(stage.changes.contains(.replayGain) && stage.player.status == .playing)
    begin()
    #expect(stage.output.format.sample == .f32)
    stage.output.hear(2)
    let bytes = stage.output.heard.bytes[8..<12].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    #expect(abs(Float(bitPattern: bytes) * 327_680 / Float(ramp(2)[2]) - 1) < 1e-4)
    stage.player.setReplayGain(ReplayGainSettings())
    begin()
    stage.output.hear(100)
    #expect(stage.output.heard == ramp(100).bytes)
    stage.forgetChanges()
    stage.player.setReplayGain(ReplayGainSettings())
    #expect(stage.changes.isEmpty && stage.streams.count == 3)
  }

  @Test func `a file follows a stream, and what the stream says later is nobody's`() throws {
    let stage = try stage()
    try stage.add(ramp(500))
    try stage.player.play()
    let stream = stage.streams[0]
    stream.become(.ready(description))
    stage.player.next()
    stage.forgetChanges()
    stream.receive(ramp(100, from: 900))
    stream.become(.failed(.unreadable("late")))
    #expect(stage.changes.isEmpty)
    stage.hearAll()
    #expect(stage.heard == ramp(500).bytes)
  }

  @Test func `what is too loud is the end of the scale`() {
    var samples: [Float] = [1.5, -1.5, 3 / 32768, 0]
    let short = unsafe samples.withUnsafeMutableBufferPointer { samples in
      unsafe Array(samples.shortened().bindMemory(to: Int16.self))
    }
    #expect(short == [.max, .min, 3, 0])
  }
}
