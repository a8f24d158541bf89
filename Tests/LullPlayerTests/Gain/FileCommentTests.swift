import Fuzzing
import LullSystem
import TestSupport
import Testing

@testable import LullPlayer

/// The words and the loudness that stand in files.
@Suite(.bounded) struct FileCommentTests {
  private static let entries = [
    "title=Nacht", "ARTIST=Wer", "Album=Was", "GENRE=", "TRACKNUMBER=3/9", "no equals sign",
    "replaygain_track_gain=-7,25 dB", "REPLAYGAIN_TRACK_PEAK=0.5", "REPLAYGAIN_ALBUM_GAIN=+1.5 dB",
  ]

  private func comments(_ bytes: [UInt8]) throws -> MediaDescription? {
    let path = "/tmp/lull-comments-\(Identity.pid())-\(UInt64.random(in: 0 ... .max))"
    try Files.replace(path, with: bytes)
    defer { try? Files.unlink(path) }
    return (try? FileDecoder(path: Array(path.utf8)))?.description
  }

  private func check(_ comments: MediaDescription?) {
    #expect(comments?.tags == Tags(title: "Nacht", artist: "Wer", album: "Was", trackNumber: "3/9"))
    #expect(comments?.gain == ReplayGain(track: -7.25, album: 1.5, trackPeak: 0.5))
  }

  @Test func `FLAC: comments between pictures`() throws {
    let bytes = TagBytes.flac([
      (6, TagBytes.picture(4, [1])), (4, TagBytes.vorbis(Self.entries)), (6, TagBytes.picture(3, [7, 8, 9])),
    ])
    check(try comments(bytes))
  }

  @Test func `Ogg Opus: comments and R128, behind a picture`() throws {
    let head = Array("OpusHead".utf8) + [1, 2, 0, 0, 0x80, 0xBB, 0, 0, 0, 0, 0]
    let picture = "METADATA_BLOCK_PICTURE=AAAAAwAAAAlpbWFnZS9wbmc="
    let tags =
      Array("OpusTags".utf8) + TagBytes.vorbis([picture, "TITLE=x", "R128_TRACK_GAIN=-512"])
    let found = try comments(
      OggBytes.page(head, number: 0, isFirst: true) + OggBytes.page(tags, number: 1))
    #expect(found?.tags.title == "x")
    #expect(found?.gain.track == 3)
  }

  @Test func `MP3: ID3v2 with user texts and a picture`() throws {
    let frames = [
      TagBytes.id3Frame("TIT2", [3] + Array("Nacht".utf8)),
      TagBytes.id3Frame("TPE1", [0] + [0x57, 0xE9]),
      TagBytes.id3Frame("TXXX", [3] + Array("replaygain_track_gain\u{0}-3.5 dB".utf8)),
      TagBytes.id3Frame("APIC", [0] + Array("image/png\u{0}".utf8) + [3, 0] + [5, 6, 7]),
    ]
    let found = try comments(TagBytes.id3(frames) + TagBytes.mp3Frames(20))
    #expect(found?.tags == Tags(title: "Nacht", artist: "Wé"))
    #expect(found?.gain == ReplayGain(track: -3.5))
  }

  @Test func `a file without tags tells nothing`() throws {
    let found = try #require(try comments(TagBytes.mp3Frames(20)))
    #expect(found.tags == Tags() && found.gain == ReplayGain())
  }

  @Test func `forged lengths and counts end the comments where the bytes end`() throws {
    let forged = TagBytes.vorbis(["TITLE=x"], count: 0xFFFF_FFFF) + [0xFF, 0xFF, 0xFF, 0xFF]
    #expect(try comments(TagBytes.flac([(4, forged)]))?.tags.title == "x")
    #expect(Comments(vorbis: [1, 2, 3]) == nil)
  }

  /// Changed bytes of a file may change its comments, and nothing else.
  @Test(arguments: [UInt64](1...4))
  func `damaged files are read without a trap`(seed: UInt64) throws {
    let whole = [
      TagBytes.flac([(6, TagBytes.picture(3, [7, 8, 9])), (4, TagBytes.vorbis(Self.entries))]),
      TagBytes.id3([TagBytes.id3Frame("TIT2", [1, 0xFF, 0xFE, 65, 0])]) + TagBytes.mp3Frames(3),
      OggBytes.page(Array("OpusHead".utf8) + [1, 2], number: 0, isFirst: true)
        + OggBytes.page(Array("OpusTags".utf8) + TagBytes.vorbis(Self.entries), number: 1),
    ]
    var random = SplitMix64(seed: seed)
    for bytes in whole {
      for _ in 0..<10 {
        var damaged = bytes
        for _ in 0..<3 {
          damaged[Int.random(in: damaged.indices, using: &random)] = .random(in: 0 ... .max, using: &random)
        }
        _ = try comments(Array(damaged.prefix(.random(in: 4...damaged.count, using: &random))))
      }
    }
  }
}
