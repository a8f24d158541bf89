import LullSystem
import TestSupport
import Testing

@testable import LullPlayer

/// Files that come over http.
@Suite(.bounded) struct StreamFileTests {
  @Test func `a FLAC file is heard sample by sample`() throws {
    let server = try StreamServer()
    let tone = try server.tone("a.flac", .flac16)
    let listener = try StreamListener(server.url("file/a.flac"))
    guard case .ready(let description) = try listener.open() else {
      Issue.record("\(listener.decoder.state)")
      return
    }
    #expect(description.frames == 144_000)
    #expect(description.stream?.isLive == false)
    try listener.hear()
    #expect(listener.samples.map { Int16($0 * 32768) } == tone)
    #expect(listener.decoder.shortfall == nil)
    #expect(!listener.isHeld)
  }

  @Test(arguments: [Scratch.Kind.vorbis, .opus, .mp3])
  func `what is heard of a stream is what is heard of the file`(kind: Scratch.Kind) throws {
    let server = try StreamServer()
    try server.tone("a", kind)
    let listener = try StreamListener(server.url("file/a?type=audio/mpeg"))
    _ = try listener.open()
    try listener.hear()
    let whole = try server.samples("a")
    #expect(listener.samples.count == whole.count)
    #expect(zip(listener.samples, whole).allSatisfy { abs($0 - $1) < 1e-4 })
  }

  @Test(arguments: ["", "&range=no"])
  func `a file that breaks off goes on where it was`(options: String) throws {
    let server = try StreamServer()
    let tone = try server.tone("a.flac", .flac16, seconds: 6)
    let listener = try StreamListener(server.url("file/a.flac?cut=200000\(options)"))
    _ = try listener.open()
    try listener.hear()
    #expect(listener.samples.map { Int16($0 * 32768) } == tone)
    #expect(try server.log().last?.hasSuffix("bytes=200000-") == true)
  }

  @Test(arguments: ["list.m3u?a.flac", "list.pls?a.flac", "moved/moved/file/a.flac"])
  func `playlists and redirections lead to the file`(path: String) throws {
    let server = try StreamServer()
    let tone = try server.tone("a.flac", .flac16)
    let listener = try StreamListener(server.url(path))
    _ = try listener.open()
    try listener.hear()
    #expect(listener.samples.count == tone.count)
  }

  @Test func `seeking goes to the frame`() throws {
    let server = try StreamServer()
    let tone = try server.tone("a.flac", .flac16, seconds: 4)
    let listener = try StreamListener(server.url("file/a.flac"))
    _ = try listener.open()
    try listener.decoder.seek(to: 100_000)
    try listener.hear(1000)
    try listener.decoder.seek(to: 50_000)
    try listener.hear(2000)
    #expect(listener.decoder.frame == 51_000)
    let heard = listener.samples.map { Int16($0 * 32768) }
    #expect(heard == Array(tone[200_000..<202_000] + tone[100_000..<102_000]))
  }

  @Test func `a seek over more bytes than silence may have goes to the frame`() throws {
    let server = try StreamServer()
    // Noise, which FLAC does not make smaller: 18 MB.
    var value: UInt32 = 1
    let second = (0..<96_000).map { _ -> Int16 in
      value ^= value << 13
      value ^= value >> 17
      value ^= value << 5
      return Int16(truncatingIfNeeded: value)
    }
    let noise = Array(repeatElement(second, count: 95).joined())
    let path = try server.scratch.sound("a.flac", kind: .flac16, samples: noise, rate: 48_000)
    #expect(try Files.read(path, limit: 1 << 25).count > DecodeStep.mostSilentBytes)
    let listener = try StreamListener(server.url("file/a.flac"))
    _ = try listener.open()
    try listener.decoder.seek(to: 95 * 48_000 - 1000)
    try listener.hear()
    #expect(listener.samples.map { Int16($0 * 32768) } == Array(second.suffix(2000)))
    #expect(listener.decoder.shortfall == nil)
  }

  @Test(arguments: [
    ("missing", "the server says 404"), ("page", "text/html cannot be played as a stream"),
  ])
  func `what cannot be played says why`(path: String, reason: String) throws {
    let server = try StreamServer()
    let listener = try StreamListener(server.url(path))
    #expect(try listener.open() == .failed(.unreadable(reason)))
  }

  @Test(.enabled(if: AACDecoder() == nil, "libfaad2 is installed"))
  func `AAC says what it needs`() throws {
    let server = try StreamServer()
    try server.scratch.file("aac", [0xFF, 0xF1, 0x50, 0x80] + [UInt8](repeating: 0, count: 4000))
    let reason = "AAC needs libfaad2, which is not installed"
    #expect(try StreamListener(server.url("file/aac")).open() == .failed(.unreadable(reason)))
  }

  @Test(.enabled(if: AACDecoder() != nil && Files.exists("/usr/bin/ffmpeg"), "libfaad2 or ffmpeg is missing"))
  func `AAC is heard, whatever comes before its first frame`() throws {
    let server = try StreamServer()
    let path = server.scratch.path + "/aac"
    var request = SpawnRequest([
      "/usr/bin/ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=440:duration=5:sample_rate=48000", "-ac",
      "2", "-f", "adts", path,
    ])
    request.standardInput = try Files.openNull().raw
    let child = try Process.spawn(request)
    try ready(child.pidfd.raw, .readable, "ffmpeg does not end")
    let frames = try Files.read(path, limit: 1 << 20)
    try server.scratch.file("aac", Array(frames[100...]))
    let listener = try StreamListener(server.url("radio/aac?type=audio/aac&burst=1000000"))
    guard case .ready(let description) = try listener.open() else {
      Issue.record("\(listener.decoder.state)")
      return
    }
    #expect(description.format.rate == 48_000 && description.format.channels == 2)
    try listener.hear(48_000 * 4)
    #expect((0.05...0.2).contains(listener.samples[96_000...].map(abs).max() ?? 0))
    #expect(try server.log().count == 1)
  }

  @Test func `a server that is not there is tried a few times`() throws {
    let listener = try StreamListener("http://127.0.0.1:9/x")
    guard case .failed = try listener.open() else {
      Issue.record("\(listener.decoder.state)")
      return
    }
    #expect(listener.wakes >= 2)
  }
}
