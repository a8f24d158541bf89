import LullSystem
import TestSupport
import Testing

@testable import LullPlayer

@Suite(.bounded) struct CueSheetTests {
  private let sheet = """
    REM GENRE "Test Music"
    PERFORMER "Somebody"
    TITLE "Album"
    FILE "whole.flac" WAVE
      TRACK 01 AUDIO
        TITLE "One"
        INDEX 01 00:00:00
      TRACK 02 AUDIO
        TITLE "Two"
        PERFORMER "Else"
        INDEX 00 00:01:10
        INDEX 01 00:01:25
      TRACK 03 AUDIO
        INDEX 01 00:02:37
    """

  @Test func `a sheet's tracks are items with its words, and are heard without a gap`() throws {
    let stage = try Stage()
    let sound = ramp(40_000)
    try stage.scratch.sound("whole.flac", kind: .flac16, samples: sound)
    let path = try stage.scratch.file("x.cue", Array(sheet.utf8))
    // The folder has the same three items: the file itself is not played again.
    #expect(MusicCollection(MediaLocation(path: stage.scratch.path)).entries == found(path))
    for entry in found(path) { try stage.player.add(entry) }
    let items = stage.player.queue.items
    #expect(items.map(\.title) == ["Somebody - One", "Else - Two", "whole.flac"])
    #expect(items.map(\.tags.trackNumber) == ["1", "2", "3"])
    #expect(items.map(\.tags.album) == Array(repeating: "Album", count: 3))
    // 100/75 s are 10,666.67 frames of 8000 Hz.
    #expect(items.map { $0.description?.frames } == [10_666, 19_946 - 10_666, 40_000 - 19_946])
    try stage.player.play()
    stage.hearAll()
    #expect(stage.heard == sound.bytes)
    #expect(stage.outputs.count == 1)
    #expect(stage.player.queue.items.allSatisfy { $0.status == .readyToPlay })
  }

  @Test func `a seek stays in the track, and its end is the next one`() throws {
    let stage = try Stage()
    let sound = ramp(40_000)
    try stage.scratch.sound("whole.flac", kind: .flac16, samples: sound)
    for entry in found(try stage.scratch.file("x.cue", Array(sheet.utf8))) { try stage.player.add(entry) }
    try stage.player.play(stage.player.queue.items[1].id)
    try stage.player.seek(to: 1)
    stage.output.hear(1)
    #expect(stage.player.position == 8001.0 / 8000)
    #expect(stage.heard == Array(sound[((10_666 + 8000) * 2)..<((10_666 + 8001) * 2)]).bytes)
    stage.player.next()
    stage.output.hear(1)
    #expect(stage.title == "whole.flac" && stage.player.position == 1.0 / 8000)
  }

  @Test func `what is saved is the same part again`() throws {
    let scratch = try Scratch()
    let entries = found(try scratch.file("x.cue", Array(sheet.utf8)))
    var state = SavedState()
    state.entries = entries
    #expect(SavedState(state.encoded())?.entries == entries)
  }

  @Test(arguments: [
    "TRACK 01 AUDIO\nINDEX 01 00:00:00",
    "FILE a.wav WAVE\nTRACK 01 AUDIO\nINDEX 01 99999999999999999999:00:00",
    "FILE a.wav WAVE\nTRACK 01 AUDIO\nINDEX 01 00:60:00",
    "FILE a.wav WAVE\nTRACK 01 AUDIO\nINDEX 01 -1:00:00",
    "FILE a.wav WAVE\nTRACK 01 MODE1/2352\nINDEX 01 00:00:00", "FILE \"a.wav", "INDEX 01", "TRACK",
    "FILE a.wav WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00", "\"", "FILE",
  ])
  func `what makes no sense brings no track`(text: String) {
    #expect(CueSheet(Array(text.utf8), folder: []).entries.isEmpty)
  }

  @Test func `indices that go back bring no negative part, and Latin-1 is read`() {
    let text = "FILE a.wav WAVE\nTRACK 01 AUDIO\nINDEX 01 00:10:00\nTRACK 02 AUDIO\nINDEX 01 00:05:00\n"
    let entries = CueSheet(Array(text.utf8), folder: []).entries
    #expect(entries.map { $0.excerpt?.start } == [375])
    let latin = Array("FILE a.wav WAVE\nTRACK 01 AUDIO\nTITLE \"Caf".utf8) + [0xE9]
    let track = CueSheet(latin + Array("\"\nINDEX 01 00:00:00\n".utf8), folder: []).entries.first
    #expect(track?.excerpt?.tags.title == "Café")
  }

  private func found(_ path: String) -> [QueueEntry] { MusicCollection(MediaLocation(path: path)).entries }
}
