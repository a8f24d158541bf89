import Lull
import TestSupport
import Testing

@testable import LullPlayer
@testable import lull_player

/// The frames that are heard are the frames of the files, one by one.
@Suite(.bounded) struct GaplessTests {
  @Test(arguments: [Scratch.Kind.wav16, .flac16])
  func `two files are joined without a frame too many or too few`(kind: Scratch.Kind) throws {
    let stage = try Stage()
    let (one, two) = (ramp(20_001), ramp(33_333, from: 20_001))
    try stage.add(one, two, kind: kind)
    try stage.player.play()
    stage.hearAll()
    #expect(stage.outputs.count == 1)
    #expect(stage.heard == (one + two).bytes)
    #expect(stage.player.status == .stopped)
  }

  @Test func `many files shorter than the low water are joined, too`() throws {
    let stage = try Stage()
    let sounds = (0..<9).map { ramp(100 + $0, from: $0 * 1000) }
    for sound in sounds { try stage.add(sound) }
    try stage.player.play()
    stage.hearAll(step: 13)
    #expect(stage.outputs.count == 1)
    #expect(stage.heard == Array(sounds.joined()).bytes)
  }

  @Test func `files of 16 and of 24 bits are joined in samples that hold both`() throws {
    let stage = try Stage()
    let (one, two) = (ramp(9000), ramp(7000, from: 9000))
    try stage.player.add(path: stage.scratch.sound("a.wav", kind: .wav16, samples: one))
    try stage.player.add(path: stage.scratch.sound("b.wav", kind: .wav24, samples: two))
    try stage.player.play()
    stage.hearAll()
    #expect(stage.outputs.map(\.format.sample) == [.f32])
    #expect(stage.heard == (one + two).floatBytes)
  }

  @Test func `another rate takes another output, after the first has been heard to its end`() throws {
    let stage = try Stage()
    let (one, two) = (ramp(12_000), ramp(5000))
    try stage.player.add(path: stage.scratch.sound("a.wav", kind: .wav16, samples: one, rate: 8000))
    try stage.player.add(path: stage.scratch.sound("b.wav", kind: .wav16, samples: two, rate: 16_000))
    try stage.player.play()
    stage.hearAll()
    #expect(stage.outputs.map(\.format.rate) == [8000, 16_000])
    #expect(stage.outputs.map(\.isClosed) == [true, true])
    #expect(stage.outputs.map(\.heard) == [one.bytes, two.bytes])
  }

  @Test func `a file that is added while the last one ends follows without a gap`() throws {
    let stage = try Stage()
    let (one, two) = (ramp(5000), ramp(4000, from: 5000))
    try stage.add(one)
    try stage.player.play()
    stage.output.hear(4990)
    try stage.add(two)
    stage.hearAll()
    #expect(stage.outputs.count == 1)
    #expect(stage.heard == (one + two).bytes)
  }

  @Test func `lossy files are decoded to floats`() throws {
    let stage = try Stage()
    let quiet = [Int16](repeating: 0, count: 96_000)
    try stage.player.add(path: stage.scratch.sound("a.opus", kind: .opus, samples: quiet, rate: 48_000))
    try stage.player.add(path: stage.scratch.sound("b.ogg", kind: .vorbis, samples: quiet, rate: 48_000))
    try stage.player.play()
    stage.hearAll(step: 10_000)
    #expect(stage.outputs.map(\.format.sample) == [.f32])
    #expect(stage.heard.count == 96_000 * 2 * 4)
  }

  @Test func `it asks for frames no more often than the buffer and the items make it`() throws {
    let stage = try Stage(seconds: 30, lowWater: 5)
    // 100 s in two items: a fill at the start, one when 25 s are gone and so on, one at the second item's
    // start.
    try stage.add(ramp(400_000), ramp(400_000))
    try stage.player.play()
    stage.hearAll(step: 800)
    #expect(stage.output.wants <= 5)
    #expect(stage.heard.count == 800_000 * 4)
  }
}
