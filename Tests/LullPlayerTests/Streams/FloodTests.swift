import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullPlayer
@testable import lull_player

/// Servers that send as fast as they can, without end.
@Suite(.serialized, .bounded) struct FloodTests {
  /// The bytes of memory that the player may have had at once.
  private static let bound = 64 << 20
  /// So many bytes at once that they have no end.
  private static let flood = "burst=1000000000000000"

  private func peak(_ pid: Int32) throws -> Int {
    let text = String(decoding: try Files.read("/proc/\(pid)/status", limit: 1 << 16), as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(line.split(separator: " ").dropLast().last.flatMap { Int($0) }) << 10
  }

  @Test func `a radio is held up when there is enough, and goes on when there is room`() throws {
    let server = try StreamServer()
    try server.tone("a.mp3", .mp3)
    let listener = try StreamListener(server.url("radio/a.mp3?\(Self.flood)"))
    _ = try listener.open()
    for _ in 0..<200 where listener.isHeld { try listener.wake() }
    #expect(!listener.isHeld)
    // 65 s of sound have waited.
    try listener.hear(48_000 * 100)
    #expect(listener.samples.count == 48_000 * 2 * 100)
    #expect(try server.log().count == 1)
  }

  @Test func `a flood of sound takes little memory`() throws {
    let (home, server) = (try PlayerHome(), try StreamServer())
    try server.tone("a.mp3", .mp3)
    #expect(try home.player("add", "-p", server.url("radio/a.mp3?\(Self.flood)")).status == 0)
    try home.lulld.ring().hear(48_000 * 20)
    #expect(try peak(home.pid()) < Self.bound)
  }

  /// A tag of 256 MiB, blocks without end, and no page.
  private static let heads: [[UInt8]] = [
    Array("ID3\u{4}\0\0\u{7F}\u{7F}\u{7F}\u{7F}".utf8),
    TagBytes.flac([]) + [1, 0xFF, 0xFF, 0xFF],
    Array("OggS".utf8),
  ]

  @Test(arguments: heads)
  func `a flood without sound ends`(head: [UInt8]) throws {
    let (home, server) = (try PlayerHome(), try StreamServer())
    try server.scratch.file("head", head + [UInt8](repeating: 0, count: 1 << 20))
    #expect(try home.player("add", server.url("radio/head?\(Self.flood)")).status == 0)
    var watcher = try home.connect()
    _ = try watcher.ask(Message("watch"))
    _ = try? watcher.ask(Message("play"))
    var report = StatusReport(try watcher.ask(Message("status")).last ?? Message("ok"))
    while report?.status == .playing {
      let message = try watcher.next(until: Clock.boottime() + 20_000_000_000)
      report = StatusReport(try #require(message, "it goes on"))
    }
    #expect(report?.status == .stopped)
    #expect(report?.message["note"]?.isEmpty == false)
    #expect(try peak(home.pid()) < Self.bound)
  }

  @Test(arguments: ["chunks", "moving", "titles"])
  func `a flood beside the sound ends`(kind: String) throws {
    let server = try StreamServer()
    let listener = try StreamListener(server.url(kind))
    #expect(try listener.open() == .failed(.unreadable(DecodeStep.silence)))
    #expect(try !listener.isHeld && server.log().count == 1)
  }

  @Test func `a stream owes sound for its bytes`() {
    var debt = ByteDebt()
    debt.note(received: ByteDebt.most)
    #expect(!debt.isTooLarge)
    debt.note(received: ByteDebt.most + 1)
    #expect(debt.isTooLarge)
    debt.noteDecoded(samples: 1)
    #expect(!debt.isTooLarge)
    // Sound of yesterday is no licence.
    debt.noteDecoded(samples: Int.max >> 4)
    debt.note(received: 2 * ByteDebt.most + 2)
    #expect(debt.isTooLarge)
  }

  @Test func `a head of a response without end is given up`() throws {
    let server = try StreamServer()
    let listener = try StreamListener(server.url("head"))
    #expect(try listener.open() == .failed(.unreadable("the head of the answer has no end")))
    #expect(try server.log().count == 1)
  }

  @Test func `a buffer for many channels at a high rate fits into memory`() throws {
    let wide = try #require(FrameFormat(rate: 192_000, channels: 8, sample: .f32))
    let usual = try #require(FrameFormat(rate: 48_000, channels: 2, sample: .f32))
    let bytes = Double(30 * wide.rate * wide.frameBytes) * wide.bufferShare
    #expect(Int(bytes) <= 16 << 20)
    #expect(usual.bufferShare == 1)
  }
}
