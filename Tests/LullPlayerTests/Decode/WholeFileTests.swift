import Glibc
import LullSystem
import TestSupport
import Testing

@testable import LullPlayer

/// Files are heard to their last frame, and from any frame on.
@Suite(.bounded) struct WholeFileTests {
  private func open(_ bytes: [UInt8]) throws -> FileDecoder {
    let scratch = try Scratch()
    return try withExtendedLifetime(scratch) {
      try FileDecoder(path: Array(scratch.file("sound", bytes).utf8))
    }
  }

  private func first(_ frames: Int, of file: FileDecoder) throws -> [Float] {
    let channels = try #require(file.description).format.channels
    var block = [Float](repeating: 0, count: frames * channels)
    let outcome = unsafe block.withUnsafeMutableBufferPointer { unsafe file.read(into: $0) }
    #expect(outcome == .frames(frames))
    return block
  }

  private func rest(_ file: FileDecoder) throws -> [Float] {
    let channels = try #require(file.description).format.channels
    var (whole, block): ([Float], [Float]) = ([], [Float](repeating: 0, count: 10_000 * channels))
    while case .frames(let count) = unsafe block.withUnsafeMutableBufferPointer({ unsafe file.read(into: $0) }
    ) {
      whole += block[..<(count * channels)]
    }
    return whole
  }

  @Test func `MP3 of a variable bit rate that does not tell its length`() throws {
    // By the size of the first frames there would be 120.
    let file = try open(TagBytes.mp3Frames(20) + TagBytes.smallMP3Frames(400))
    #expect(file.description?.frames == Int64(420 * 1152))
    #expect(try rest(file).count == 420 * 1152 * 2)
    #expect(file.frame == 420 * 1152 && file.shortfall == nil)
    try file.seek(to: 400_000)
    #expect(try rest(file).count == (420 * 1152 - 400_000) * 2)
  }

  @Test func `the tags of an MP3 file, in front of it and behind it`() throws {
    let old = TagBytes.id3v1(title: "Nacht", artist: "Wer", album: "Was", genre: 17)
    let file = try open(TagBytes.mp3Frames(20) + old)
    #expect(
      file.description?.tags == Tags(title: "Nacht", artist: "Wer", album: "Was", genre: "Rock"))
    #expect(file.description?.frames == Int64(20 * 1152))
    let new = TagBytes.id3([
      TagBytes.id3Frame("TIT2", [3] + Array("Tag".utf8)), TagBytes.id3Frame("TCON", [3] + Array("(8)".utf8)),
    ])
    #expect(
      try open(new + TagBytes.mp3Frames(20) + old).description?.tags == Tags(title: "Tag", genre: "Jazz"))
  }

  @Test(arguments: [Scratch.Kind.mp3, .vorbis, .opus, .flac16])
  func `every frame is there, and each can be gone to`(kind: Scratch.Kind) throws {
    let tone = try Tone.file(kind, seconds: 20, rate: 48_000)
    let frames = tone.samples.count / 2
    let file = try open(tone.bytes)
    #expect(file.description?.frames == Int64(frames))
    let whole = try rest(file)
    #expect(whole.count == frames * 2)
    for place in [0, 7, 20_000, 500_001, frames - 1000] {
      try file.seek(to: Int64(place))
      #expect(file.frame == Int64(place))
      let part = try rest(file)
      #expect(part.count == (frames - place) * 2)
      // A codec settles in its own way.
      #expect(zip(part, whole[(place * 2)...]).allSatisfy { abs($0 - $1) < 0.02 }, "\(place)")
    }
    try file.seek(to: .max)
    #expect(try rest(file).isEmpty && file.shortfall == nil)
  }

  @Test func `FLAC in Ogg`() throws {
    let tone = try Tone.file(.flac16, seconds: 10.24, rate: 48_000)
    let file = try open(OggForgery.withFlac(tone.bytes, blockFrames: 4096, tags: ["TITLE=Nacht"]))
    #expect(file.description?.frames == Int64(tone.samples.count / 2))
    #expect(file.description?.tags.title == "Nacht")
    #expect(try rest(file).map { Int16($0 * 32768) } == tone.samples)
    for place in [3, 200_000, 480_000] {
      try file.seek(to: Int64(place))
      #expect(try rest(file).map { Int16($0 * 32768) } == Array(tone.samples[(place * 2)...]))
    }
  }

  @Test func `logical streams that follow one another are heard one after the other`() throws {
    let tone = try Tone.file(.vorbis, seconds: 3, rate: 48_000)
    let other = try Tone.file(.vorbis, seconds: 2, rate: 48_000)
    let file = try open(tone.bytes + other.bytes)
    #expect(file.description?.frames == nil)
    #expect(try rest(file).count == tone.samples.count + other.samples.count)
    try file.seek(to: 150_000)
    #expect(try rest(file).count == tone.samples.count + other.samples.count - 300_000)
  }

  @Test(arguments: [Scratch.Kind.vorbis, .opus])
  func `of logical streams that follow one another each frame can be gone to`(
    kind: Scratch.Kind
  ) throws {
    let file = try open((2..<6).flatMap { try Tone.file(kind, seconds: Double($0), rate: 48_000).bytes })
    let whole = try rest(file)
    for place in [600_000, 200_000, 96_001, 5] {
      try file.seek(to: Int64(place))
      #expect(file.frame == Int64(place))
      let part = try first(1000, of: file)
      #expect(zip(part, whole[(place * 2)...]).allSatisfy { abs($0 - $1) < 0.02 }, "\(place)")
    }
    try file.seek(to: .max)
    #expect(try rest(file).isEmpty)
  }

  @Test(arguments: [(60, true), (100, false)])
  func `a length is looked for in front of zeros, but not of any number`(mebibytes: Int, isTold: Bool)
    throws
  {
    let tone = try Tone.file(.vorbis, seconds: 3, rate: 48_000)
    let scratch = try Scratch()
    let path = try scratch.file("sound", tone.bytes)
    try #require(unsafe truncate(path, mebibytes << 20) == 0)
    let file = try withExtendedLifetime(scratch) { try FileDecoder(path: Array(path.utf8)) }
    #expect(file.description?.frames == (isTold ? Int64(tone.samples.count / 2) : nil))
    try file.seek(to: 100_000)
    #expect(try rest(file).count == tone.samples.count - 200_000)
  }
}
