import LullSystem
import Testing

@testable import lull_player

@Suite struct SavedStateTests {
  @Test func `what was written is read again`() {
    var state = SavedState()
    state.paths = ["/a b/c.wav", "/quote\"d\\.flac", "/line\nfeed.ogg", "/ü.opus"]
    state.index = 2
    state.seconds = 12.345
    state.volume = 35
    state.repeatMode = .one
    #expect(SavedState(state.encoded()) == state)
    #expect(SavedState(SavedState().encoded()) == SavedState())
  }

  @Test func `nonsense is not taken up`() {
    #expect(SavedState(Array("hello\n".utf8)) == nil)
    #expect(SavedState([]) == nil)
    #expect(SavedState([0xFF, 0x0A]) == nil)
    let odd = "player version=1 volume=900 repeat=never index=7 position=nan\nfile\nfile path=/a.wav\nmore\n"
    var expected = SavedState()
    expected.paths = ["/a.wav"]
    #expect(SavedState(Array(odd.utf8)) == expected)
  }

  @Test func `the file stands where the XDG specification has it`() {
    func path(uid: UInt32, _ variables: [String: String]) -> String? {
      StateFile.path(uid: uid, home: "/h", environment: { variables[$0] })
    }
    #expect(path(uid: 7, [:]) == "/h/.local/state/lull/player")
    #expect(path(uid: 7, ["XDG_STATE_HOME": "/s"]) == "/s/lull/player")
    #expect(path(uid: 7, ["XDG_STATE_HOME": "relative"]) == "/h/.local/state/lull/player")
    #expect(path(uid: 0, [:]) == "/var/lib/lull/player")
    #expect(StateFile.path(uid: 7, home: nil, environment: { _ in nil }) == nil)
  }

  @Test func `the file is replaced as a whole, and its folders are made`() throws {
    let scratch = try Scratch()
    let file = StateFile(path: scratch.path + "/one/two/player")
    #expect(file.load() == nil)
    var state = SavedState()
    state.volume = 1
    try file.save(state)
    state.volume = 2
    try file.save(state)
    #expect(file.load() == state)
    #expect(!Files.exists(file.path + ".new"))
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
    let path = try stage.scratch.sound("a.wav", .wav16, ramp(800))
    var state = SavedState()
    state.paths = ["/nowhere/gone.wav", path]
    state.index = 0
    stage.player.restore(state)
    #expect(stage.player.queue.items.map(\.status) == [.unknown, .readyToPlay])
    try stage.player.play()
    #expect(stage.title == "a.wav")
    #expect(stage.player.note == "gone.wav: no such file")
  }
}
