import LullSystem
import TestSupport
import Testing

@testable import LullPlayer

/// Pictures in files that the tests build byte by byte.
@Suite(.bounded) struct CoverTests {
  private let image = CoverTests.image(70_000)

  private static func image(_ size: Int) -> [UInt8] {
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 2, 0xFF, 0, 3] + (0..<size).map { UInt8($0 & 0x7F) }
  }

  private func big(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }
  private func syncsafe(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (21 - 7 * $0) & 0x7F) } }

  private func block(_ image: [UInt8], kind: Int = 3) -> [UInt8] {
    let mime = Array("image/jpeg".utf8)
    let head = big(kind) + big(mime.count) + mime + big(1) + [0x78]
    return head + Array(repeating: 0, count: 16) + big(image.count) + image
  }

  private func flac(_ blocks: [[UInt8]]) -> [UInt8] {
    let first = [0, 0, 0, 34] + Array(repeating: UInt8(0), count: 34)
    return Array("fLaC".utf8) + first + blocks.flatMap { [6] + big($0.count).dropFirst() + $0 } + [
      0x81, 0, 0, 0,
    ]
  }

  private func mp3(_ version: UInt8, _ image: [UInt8]) -> [UInt8] {
    let content = [1] + Array("image/jpeg\0".utf8) + [3, 0xFF, 0xFE, 0x61, 0, 0, 0] + image
    let size = version == 3 ? big(content.count) : syncsafe(content.count)
    let body = Array("APIC".utf8) + size + [0, 0] + content
    return Array("ID3".utf8) + [version, 0, 0] + syncsafe(body.count) + body + TagBytes.mp3Frames(3)
  }

  private func opus(_ image: [UInt8]) -> [UInt8] {
    let head = Array("OpusHead".utf8) + [1, 2, 0, 0, 0x80, 0xBB, 0, 0, 0, 0, 0]
    let comment = "metadata_block_picture=" + String(decoding: base64(block(image)), as: UTF8.self)
    var rest = (Array("OpusTags".utf8) + TagBytes.vorbis(["A=b", comment]))[...]
    var file = OggBytes.page(head, number: 0, isFirst: true)
    for number in 1... {
      let part = rest.prefix(255 * 255)
      rest = rest.dropFirst(part.count)
      file += OggBytes.page(Array(part), number: number, isContinued: number > 1, goesOn: !rest.isEmpty)
      if rest.isEmpty { break }
    }
    return file
  }

  private func base64(_ bytes: [UInt8]) -> [UInt8] {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    return stride(from: 0, to: bytes.count, by: 3).flatMap { start -> [UInt8] in
      let some = bytes[start..<min(bytes.count, start + 3)]
      let value = some.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - some.count))
      let text = (0..<4).map { letters[value >> (18 - 6 * $0) & 63] }
      return Array(text.prefix(some.count + 1)) + Array(repeating: UInt8(ascii: "="), count: 3 - some.count)
    }
  }

  private func files(_ image: [UInt8]) -> [(String, [UInt8])] {
    [
      ("flac", flac([block([0xFF, 0xD8, 0xFF], kind: 4), block(image)])), ("2.3", mp3(3, image)),
      ("2.4", mp3(4, image)), ("opus", opus(image)),
    ]
  }

  @Test func `the front cover is found in every kind of file`() throws {
    let scratch = try Scratch()
    for (name, bytes) in files(image) {
      let path = Array(try scratch.file(name, bytes).utf8)
      #expect(FileDecoder.picture(in: path)?.bytes == image, "\(name)")
    }
  }

  @Test func `files that end early or lie about lengths end nothing`() throws {
    let scratch = try Scratch()
    for (name, bytes) in files(CoverTests.image(300)) {
      for length in Array(stride(from: 0, to: 120, by: 3)) + [bytes.count - 1] {
        let path = Array(try scratch.file(name, Array(bytes.prefix(length))).utf8)
        _ = FileDecoder.picture(in: path)
      }
      for place in 0..<90 {
        var forged = bytes
        for offset in 0..<4 { forged[place + offset] = 0xFF }
        _ = FileDecoder.picture(in: Array(try scratch.file(name, forged).utf8))
      }
    }
  }

  @Test func `an embedded cover is written once, one beside is named, and the last written is the only one`()
    throws
  {
    let scratch = try Scratch()
    let covers = Covers(folder: scratch.path + "/cache/covers")
    let one = MediaLocation(path: try scratch.file("a.flac", flac([block(image)])))
    let other = MediaLocation(path: try scratch.file("b.flac", flac([block(image + [1])])))
    let plain = MediaLocation(path: try scratch.sound("c.wav", kind: .wav16, samples: ramp(80)))
    let first = try #require(covers.cover(of: one)?.path)
    #expect(first.suffix(4) == Array(".jpg".utf8)[...])
    #expect(try Files.read(first, limit: 1 << 20) == image)
    #expect(covers.cover(of: one)?.path == first)
    let second = try #require(covers.cover(of: other)?.path)
    #expect(second != first && Files.kind(first) == nil)
    #expect(covers.cover(of: plain) == nil)
    try scratch.file("Folder.PNG", [1])
    try scratch.file("front.jpg", [1])
    #expect(covers.cover(of: one) != nil)
    #expect(covers.cover(of: plain) == MediaLocation(path: scratch.path + "/Folder.PNG"))
    #expect(covers.cover(of: .stream("http://x/")) == nil)
  }
}
