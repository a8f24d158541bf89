import LullSystem
import TestSupport
import Testing

@testable import LullPlayer
@testable import lull_player

@Suite(.bounded) struct SavedStateTests {
  @Test func `what was written is read again`() {
    var state = SavedState()
    state.entries = ["/a b/c.wav", "/quote\"d\\.flac", "/line\nfeed.ogg", "/ü.opus"].map {
      QueueEntry(MediaLocation(path: $0))
    }
    state.index = 2
    state.seconds = 12.345
    state.volume = 35
    state.repeatMode = .one
    state.isShuffled = true
    state.replayGain = ReplayGainSettings(mode: .auto, preamp: -2.5)
    #expect(SavedState(state.encoded()) == state)
    #expect(SavedState(SavedState().encoded()) == SavedState())
  }

  @Test func `nonsense is not taken up`() {
    #expect(SavedState(Array("hello\n".utf8)) == nil)
    #expect(SavedState([]) == nil)
    #expect(SavedState([0xFF, 0x0A]) == nil)
    let odd =
      "player version=1 volume=900 repeat=never replayGain=x preamp=y\nplace index=7 position=nan\n"
      + "file\nfile path=/a.wav\nmore\n"
    var expected = SavedState()
    expected.entries = [QueueEntry(MediaLocation(path: "/a.wav"))]
    #expect(SavedState(Array(odd.utf8)) == expected)
  }

  @Test func `the file is replaced as a whole, and its folders are made`() throws {
    let scratch = try Scratch()
    let file = SavedStateFile(path: scratch.path + "/one/two/player")
    #expect(try file.load() == nil)
    var state = SavedState()
    state.volume = 1
    try file.save(state)
    state.volume = 2
    try file.save(state)
    #expect(try file.load()?.volume == 2)
    #expect(!Files.exists(file.path + ".new"))
  }

  @Test func `a place is overwritten in the file, and a damaged one is none`() throws {
    let scratch = try Scratch()
    let file = SavedStateFile(path: scratch.path + "/player")
    var state = SavedState()
    state.entries = ["/a.wav", "/b.wav"].map { QueueEntry(MediaLocation(path: $0)) }
    (state.index, state.seconds) = (1, 1234.5)
    try file.savePlace(state)
    state.seconds = 7
    try file.savePlace(state)
    #expect(try SavedStateFile(path: file.path).load() == state)
    for torn in [Array("place\n".utf8), [0xFF, 0x0A]] {
      try Files.overwrite(file.path, with: torn)
      let read = try #require(try SavedStateFile(path: file.path).load())
      #expect(read.index == nil && read.entries == state.entries)
    }
  }

  @Test func `a file that holds something else is put aside, one that cannot be read stays`() throws {
    let scratch = try Scratch()
    let file = SavedStateFile(path: try scratch.file("player", Array("player version=2\n".utf8)))
    #expect(try file.load() == nil)
    #expect(try Files.read(file.path + ".unread", limit: 100) == Array("player version=2\n".utf8))
    #expect(throws: SystemError.self) { try SavedStateFile(path: scratch.path).load() }
  }

  @Test func `a player takes it up paused, and plays on from there`() throws {
    let stage = try Stage()
    let sound = ramp(40_000)
    try stage.add(ramp(8000), sound)
    stage.player.setVolume(50)
    try stage.player.play(stage.player.queue.items[1].id)
    for _ in 0..<3 { stage.output.hear(8000) }
    let state = stage.player.savedState
    #expect(state.index == 1 && state.seconds == 3 && state.volume == 50)

    let other = try Stage()
    other.player.restore(state)
    #expect(other.player.status == .paused)
    #expect(other.title == "b.wav")
    #expect(other.player.position == 3)
    try other.player.play()
    other.hearAll()
    #expect(other.heard == Array(sound[48_000...]).bytes)
    #expect(other.output.gain == 0.125)
  }

  @Test func `a file that is gone stays in the queue and is passed over`() throws {
    let stage = try Stage()
    let path = try stage.scratch.sound("a.wav", kind: .wav16, samples: ramp(800))
    var state = SavedState()
    state.entries = ["/nowhere/gone.wav", path].map { QueueEntry(MediaLocation(path: $0)) }
    state.index = 0
    stage.player.restore(state)
    #expect(stage.player.queue.items.map(\.status) == [.unknown, .readyToPlay])
    try stage.player.play()
    #expect(stage.title == "a.wav")
    #expect(stage.player.note == "gone.wav: no such file")
  }
}
