import Glibc
import LullSystem
import TestSupport
import Testing

@testable import LullAudio

/// Programs that play straight to a sound server, heard through the monitors of their streams.
@Suite(.serialized, .bounded) final class StraightTests {
  private let server: AudioSink
  private var reports: [AudioReport] = []
  private var due: Int64 = .min
  private var passes = 0
  private lazy var streams = StraightStreams(
    audience: Audience { [unowned self] in reports.append($0) },
    report: { [unowned self] in reports.append($0) })

  init() throws { server = try AudioSink() }

  /// A program that plays a tone of 440 Hz, of this many steps of 16 bits, for a minute.
  private func play(_ peak: Double, on sink: String = "lull") throws -> Child {
    let samples = (0..<48_000 * 60).map { frame in
      Int16(peak * sin(Double(frame) * 440 * 2 * .pi / 48_000))
    }
    let path = "\(server.folder)/tone.raw"
    let raw = unsafe open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
    try #require(raw >= 0)
    let file = Descriptor(owning: raw)
    try StandardStreams.write(
      samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }, to: file.raw)
    return try Child(
      server.request([
        "pacat", "--playback", "--raw", "--format=s16le", "--rate=48000", "--channels=1", "-d", sink, path,
      ]))
  }

  private func listen(to child: Child, at given: String? = nil, measures: Bool = true) {
    let address = given ?? "unix:\(server.folder)/native"
    streams.listen(to: child.pid, of: 1, at: address, silence: nil, measures: measures)
    due = .min
  }

  /// Runs the passes when they are due.
  private func until(_ comment: Comment, _ isSo: () throws -> Bool) throws {
    try eventually("\(comment): \(reports)") {
      let now = Clock.monotonic()
      if due <= now {
        due = streams.pass(now: now) ?? .max
        passes += 1
      }
      return try isSo()
    }
  }

  private func untilState(_ state: StraightSound) throws {
    try until("it is not \(state)") {
      reports.last { if case .streams = $0 { true } else { false } } == .streams(program: 1, state)
    }
  }

  private var isSounding: Bool { reports.contains(.sounding(program: 1, of: .live)) }

  private func pactl(_ words: String...) throws -> String {
    String(decoding: try output(of: server.request(["pactl"] + words)), as: UTF8.self)
  }

  private func input() throws -> String {
    try until("it does not play") { try !pactl("list", "short", "sink-inputs").isEmpty }
    return String(try #require(pactl("list", "short", "sink-inputs").split(separator: "\t").first))
  }

  @Test func `a tone is measured and heard, and goes quiet with the end of its stream`() throws {
    let child = try play(3000)
    listen(to: child)
    try untilState(.measured)
    try until("it is not heard") { isSounding }
    try child.signal(Signal.terminate)
    try untilState(.none)
    let quiet = { (report: AudioReport) in
      if case .quiet(1, .live, let rest) = report { rest > 5 && rest <= 10 } else { false }
    }
    try until("its hangover is not told") { reports.contains(where: quiet) }
  }

  @Test func `a server is reached over TCP too`() throws {
    let port = freePort()
    _ = try pactl(
      "load-module", "module-native-protocol-tcp", "listen=127.0.0.1", "port=\(port)", "auth-anonymous=1")
    let child = try play(3000)
    listen(to: child, at: "tcp:127.0.0.1:\(port)")
    try untilState(.measured)
    try until("it is not heard") { isSounding }
  }

  @Test func `zeros are measured and not heard`() throws {
    let child = try play(0)
    listen(to: child)
    try untilState(.measured)
    let before = passes
    try until("it is not measured again") { passes >= before + 4 }
    #expect(!isSounding, "\(reports)")
    streams.leave(1)
    #expect(streams.pass(now: Clock.monotonic()) == nil)
    #expect(try !pactl("list", "short", "source-outputs").contains("lull.monitor"))
  }

  @Test func `the user's volume does not count, and what is muted cannot be measured`() throws {
    let child = try play(600)
    let input = try input()
    _ = try pactl("set-sink-input-volume", input, "30%")
    listen(to: child)
    try until("a stream that the user made quiet is not heard") { isSounding }
    _ = try pactl("set-sink-input-mute", input, "1")
    try untilState(.running)
    _ = try pactl("set-sink-input-mute", input, "0")
    try untilState(.measured)
  }

  @Test func `a stream that goes to another sink is heard on, and one that stands still counts for nothing`()
    throws
  {
    _ = try pactl("load-module", "module-null-sink", "sink_name=other", "rate=44100")
    let child = try play(3000)
    let input = try input()
    listen(to: child)
    try untilState(.measured)
    _ = try pactl("move-sink-input", input, "other")
    try until("it is not heard there") { isSounding }
    try untilState(.measured)
    _ = try pactl("suspend-sink", "other", "1")
    try untilState(.none)
    _ = try pactl("suspend-sink", "other", "0")
    try untilState(.measured)
  }

  @Test func `a program that may not be heard is not measured`() throws {
    let child = try play(3000)
    listen(to: child, measures: false)
    try untilState(.running)
    #expect(!isSounding, "\(reports)")
  }

  @Test func `a program that records is not measured`() throws {
    let child = try Child(server.request(["parecord", "-d", "lull.monitor", "\(server.folder)/take.wav"]))
    listen(to: child)
    try untilState(.recording)
  }

  @Test func `a server that dies is asked for nothing more, and found again`() throws {
    let first = try play(3000)
    listen(to: first)
    try untilState(.measured)
    try server.unplug()
    try untilState(.none)
    try server.start()
    let second = try play(3000)
    listen(to: second)
    try untilState(.measured)
  }
}
