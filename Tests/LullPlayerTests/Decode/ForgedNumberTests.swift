import Lull
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullPlayer
@testable import RemoteControl
@testable import lull_player

/// Numbers of other programs and of files may be anything.
@Suite(.bounded) struct ForgedNumberTests {
  private static let positions: [Int64] = [
    .max, .max - 1, .max / 2, .max / 2 - 1, 1 << 62, 1 << 53, 1 << 40, -1, 0, .min, .min + 1,
  ]

  /// Every value that is calculated from an item, while it plays and after a seek to its end.
  private func tryAll(_ stage: Stage, _ path: String) throws {
    guard (try? stage.player.add(path: path)) != nil else { return }
    try? stage.player.play()
    for _ in 0..<3 where !stage.outputs.isEmpty {
      stage.output.hear(4000)
      let report = StatusReport(stage.player)
      _ = StatusText.full(report) + StatusText.json(report)
      _ = ProgressLine.text(report, at: .max, columns: 80)
      let properties = Properties(RemoteIdentity(name: "x", title: "x"), NowPlaying(stage.player))
      #expect(properties.all(Properties.playerInterface)?.isEmpty == false)
      _ = SavedState(stage.player.savedState.encoded())
      try? stage.player.seek(to: (stage.player.currentItem?.duration ?? 1e300) - 1e-3)
    }
  }

  @Test(arguments: [Scratch.Kind.opus, .vorbis], positions)
  func `a forged length in an Ogg file ends nothing`(kind: Scratch.Kind, position: Int64) throws {
    let stage = try Stage()
    let path = try stage.scratch.sound("a.ogg", kind: kind, samples: ramp(9600), rate: 48_000)
    let bytes = try Files.read(path, limit: 1 << 24)
    try tryAll(stage, stage.scratch.file("a.ogg", OggForgery.withLastPosition(position, bytes)))
  }

  @Test func `forged bytes anywhere in a header end nothing`() throws {
    for (name, kind) in [("a.wav", Scratch.Kind.wav16), ("a.flac", .flac16)] {
      let scratch = try Scratch()
      let path = try scratch.sound(name, kind: kind, samples: ramp(400))
      let bytes = try Files.read(path, limit: 1 << 24)
      for place in stride(from: 4, to: 44, by: 2) {
        for value: UInt8 in [0, 0x7F, 0xFF] {
          var forged = bytes
          for offset in 0..<4 { forged[place + offset] = value }
          try tryAll(Stage(), scratch.file(name, forged))
        }
      }
    }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e19])
  func `a place that is none is answered or reached, and ends nothing`(seconds: Double) throws {
    let stage = try Stage()
    try stage.add(ramp(8000))
    try stage.player.play()
    try? stage.player.seek(to: seconds)
    try? stage.player.play()
    try? stage.player.seek(by: seconds)
    let state = Array("place index=0 position=\(seconds)\nplayer version=1\nfile path=/none.wav\n".utf8)
    let other = try Stage()
    other.player.restore(try #require(SavedState(state)))
    try? other.player.play()
  }

  @Test(arguments: ["9223372036854775807", "-9223372036854775808", "99999999999999999999", "1e400", "-0"])
  func `a number of a request is answered with what is wrong, or obeyed`(number: String) throws {
    let stage = try Stage()
    try stage.add(ramp(8000))
    let controller = Controller(player: stage.player) { PlayerTroubles() }
    for line in [
      "play index=\(number)", "seek position=\(number)", "seek offset=\(number)", "volume percent=\(number)",
      "remove index=\(number)", "add path=/a.wav start=\(number) end=\(number)",
    ] {
      let (messages, _) = controller.answer(try Message.parse(line))
      #expect(["ok", "error"].contains(messages.last?.verb), "\(line)")
    }
    let report = StatusReport(try Message.parse("ok status=playing at=\(number) position=\(number)"))
    _ = report?.position(at: .max)
  }
}
