import Fuzzing
import LullSystem
import TestSupport
import Testing

@testable import LullPlayer

/// Folders and the lists of other players.
@Suite(.bounded) struct CollectionTests {
  private func names(_ collection: MusicCollection) -> [String] {
    collection.entries.map { $0.location.text.split(separator: "/").last.map { String($0) } ?? "" }
  }

  @Test(arguments: [UInt64](1...20))
  func `names are sorted as people sort them`(seed: UInt64) {
    let sorted = ["1.wav", "2 b.wav", "02 c.wav", "10.wav", "A.wav", "a2.wav", "a10.wav", "b.wav", "ü.wav"]
    var random = SplitMix64(seed: seed)
    let found = sorted.shuffled(using: &random).sorted {
      NaturalOrder.precedes(Array($0.utf8), Array($1.utf8))
    }
    #expect(found == sorted)
    let huge = String(repeating: "9", count: 60)
    #expect(NaturalOrder.precedes(Array("8\(huge)".utf8), Array("9\(huge)".utf8)))
  }

  @Test func `a folder is all music below it, and a link that leads back up does not end nowhere`() throws {
    let scratch = try Scratch()
    for folder in ["disc 2", "disc 10", "disc 2/loop"] {
      try Files.makeDirectories(scratch.path + "/" + folder)
    }
    for name in [
      "disc 10/1.ogg", "disc 2/10.flac", "disc 2/9.FLAC", "cover.jpg", "notes.txt", "a.wav", "none",
    ] {
      try scratch.file(name, [0])
    }
    try scratch.link("disc 2/loop/up", to: scratch.path)
    try scratch.link("gone.wav", to: "/nowhere/gone.wav")
    let found = MusicCollection(MediaLocation(path: scratch.path))
    #expect(names(found) == ["a.wav", "9.FLAC", "10.flac", "1.ogg"])
    #expect(found.failures.isEmpty)
    #expect(
      names(MusicCollection(MediaLocation(path: scratch.path + "/"))) == [
        "a.wav", "9.FLAC", "10.flac", "1.ogg",
      ])
  }

  @Test func `a name that is no UTF-8 is a name`() throws {
    let scratch = try Scratch()
    let name = Array("\(scratch.path)/".utf8) + [0xE9, 0xFF] + Array(".wav".utf8)
    let sound = try Files.read(scratch.sound("x.bin", kind: .wav16, samples: ramp(800)), limit: 1 << 20)
    try scratch.file(name, sound)
    let found = MusicCollection(MediaLocation(path: scratch.path))
    #expect(found.entries.map(\.location) == [.file(name)])
    let stage = try Stage()
    try stage.player.add(found.entries[0])
    #expect(stage.player.queue.items[0].fileName == "\u{FFFD}\u{FFFD}.wav")
    let state = try #require(SavedState(stage.player.savedState.encoded()))
    #expect(state.entries == found.entries)
    try stage.player.play()
    stage.hearAll()
    #expect(stage.heard == ramp(800).bytes)
  }

  @Test func `M3U is read`() throws {
    let scratch = try Scratch()
    let text = "\u{FEFF}#EXTM3U\r\n#EXTINF:12,Song\r\n a b.wav \r\n\r\n/abs/c.flac\r\nfile:///d%20e.ogg\n"
    let path = try scratch.file(
      "x.m3u8", Array((text + "http://radio.example/x\nsub/f.wav").utf8) + [0xE9, 0x0A])
    let found = MusicCollection(MediaLocation(path: path))
    #expect(
      found.entries.map(\.location) == [
        MediaLocation(path: scratch.path + "/a b.wav"), MediaLocation(path: "/abs/c.flac"),
        MediaLocation(path: "/d e.ogg"),
        .stream("http://radio.example/x"), .file(Array("\(scratch.path)/sub/f.wav".utf8) + [0xE9]),
      ])
  }

  @Test func `PLS is read in the order of its numbers`() throws {
    let scratch = try Scratch()
    let text =
      "[playlist]\nFile10=/c.wav\nTitle1=X\nfile2=b.wav\nFile1=/a.wav\nFileX=/no\nNumberOfEntries=99\n"
    let found = MusicCollection(MediaLocation(path: try scratch.file("x.PLS", Array(text.utf8))))
    #expect(names(found) == ["a.wav", "b.wav", "c.wav"])
  }

  @Test func `a list that names itself ends`() throws {
    let scratch = try Scratch()
    let path = try scratch.file("x.m3u", Array("x.m3u\n./x.m3u\n/a.wav\n".utf8))
    let found = MusicCollection(MediaLocation(path: path))
    #expect(!found.entries.isEmpty && found.entries.count <= 1000)
  }

  @Test func `what is not there is said`() {
    let found = MusicCollection(MediaLocation(path: "/nowhere/x.m3u"))
    #expect(found.entries.map(\.location.text) == ["/nowhere/x.m3u"])
  }
}
