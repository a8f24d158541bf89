import Lull
import LullSystem
import TestSupport
import Testing

@testable import LullPlayer
@testable import lull_player

@Suite(.bounded) struct BadFileTests {
  @Test func `what is no sound is refused with its reason`() throws {
    let stage = try Stage()
    let text = try stage.scratch.file("text.wav", Array("hello\n".utf8))
    #expect(throws: DecodeError.unreadable("Format not recognised")) { try stage.player.add(path: text) }
    #expect(throws: DecodeError.notFound) { try stage.player.add(path: text + ".no") }
    #expect(throws: DecodeError.notAFile) { try stage.player.add(path: stage.scratch.path) }
    #expect(throws: DecodeError.notAFile) { try stage.player.add(path: "/dev/zero") }
    #expect(stage.player.queue.isEmpty)
  }

  @Test func `an impossible rate or number of channels is refused`() throws {
    let stage = try Stage()
    let slow = try stage.scratch.sound("slow.wav", kind: .wav16, samples: ramp(100), rate: 100)
    let fast = try stage.scratch.sound("fast.wav", kind: .wav16, samples: ramp(100), rate: 400_000)
    let wide = try stage.scratch.sound(
      "wide.wav", kind: .wav16, samples: [Int16](repeating: 0, count: 900), channels: 9)
    #expect(throws: DecodeError.impossibleFormat(rate: 100, channels: 2)) { try stage.player.add(path: slow) }
    #expect(throws: DecodeError.impossibleFormat(rate: 400_000, channels: 2)) {
      try stage.player.add(path: fast)
    }
    #expect(throws: DecodeError.impossibleFormat(rate: 8000, channels: 9)) {
      try stage.player.add(path: wide)
    }
  }

  @Test func `a file that vanished is skipped, named, and the queue goes on without a gap`() throws {
    let stage = try Stage()
    let sounds = [ramp(3000), ramp(3000), ramp(3000, from: 3000)]
    for sound in sounds { try stage.add(sound) }
    try Files.unlink("\(stage.scratch.path)/b.wav")
    try stage.player.play()
    stage.hearAll()
    #expect(stage.heard == (sounds[0] + sounds[2]).bytes)
    #expect(stage.player.note == "b.wav: no such file")
    #expect(stage.player.queue.items[1].status == .failed("no such file"))
  }

  @Test func `a truncated file is played as far as it goes, and the queue goes on`() throws {
    let stage = try Stage()
    let whole = ramp(40_000).map { $0 ^ 0x1234 }
    let path = try stage.scratch.sound("a.flac", kind: .flac16, samples: whole)
    let bytes = try Files.read(path, limit: 1 << 24)
    try stage.scratch.file("a.flac", Array(bytes.prefix(bytes.count / 2)))
    try stage.player.add(path: path)
    try stage.add(ramp(3000))
    try stage.player.play()
    stage.hearAll()
    let part = stage.heard.count - 12_000
    #expect(part > 0)
    #expect(stage.heard == Sound(Array(whole.bytes.bytes.prefix(part))) + ramp(3000).bytes)
    guard case .failed(let reason) = stage.player.queue.items[0].status else {
      Issue.record("nothing was noted")
      return
    }
    #expect(reason.hasPrefix("truncated or damaged: ends at 0:0"))
  }

  @Test func `a queue of which nothing can be played says so and stops, repeated or not`() throws {
    let stage = try Stage()
    try stage.add(ramp(3000), ramp(3000))
    stage.player.setRepeatMode(.all)
    try Files.unlink("\(stage.scratch.path)/a.wav")
    try Files.unlink("\(stage.scratch.path)/b.wav")
    #expect(throws: QueuePlayer.Refusal(reason: "b.wav: no such file")) { try stage.player.play() }
    #expect(stage.player.status == .stopped)
    #expect(stage.outputs.isEmpty)
  }

  @Test(arguments: RepeatMode.allCases)
  func `files without a frame do not keep the player busy for ever`(mode: RepeatMode) throws {
    let stage = try Stage()
    try stage.add([], [])
    stage.player.setRepeatMode(mode)
    try stage.player.play()
    stage.hearAll()
    #expect(stage.player.status == .stopped)
  }
}
