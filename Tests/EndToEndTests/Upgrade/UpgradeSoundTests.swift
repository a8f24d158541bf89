import LullSystem
import LullWire
import TestSupport
import Testing

/// `lull daemon upgrade` under a program that plays.
@Suite(.tags(.faults), .bounded(seconds: 240)) struct UpgradeSoundTests {
  /// The longest gap of an upgrade, in samples: 50 ms of two channels.
  private static let longestGap = Wave.rate / 20 * 2

  @Test func `one lull-audio plays on, with a gap of at most 50 ms, until it is silent`() throws {
    let installed = try Installation()
    let stage = try AudioStage(sandbox: installed.sandbox, binaries: installed.folder)
    var wave = Wave()
    wave.addNoise(seconds: 8)
    try wave.write(to: stage.path("noise.wav"))
    let recorder = try stage.sink.record(to: stage.path("out.raw"))
    let run = try stage.play("noise.wav")
    _ = try stage.session(of: "aplay") { $0[.state] == "running" && $0[.audible] != nil }
    let audio = try stage.audio()
    let old = try Process.pidfdOpen(audio)
    try installed.replaceAll()
    let result = try installed.upgrade(stage.lull)
    #expect(result.output.hasSuffix("1 program, 0 lost\n"), "\(result)")
    _ = try stage.session(of: "aplay") { $0[.state] == "running" && $0[.audible] != nil }
    #expect(try stage.audios().isEmpty, "another lull-audio was started")
    #expect(try Socket.poll(old.raw, .readable, timeoutMilliseconds: 0).isEmpty, "lull-audio has ended")
    #expect(try run.end() == .exited(0))
    try Deadline().wait(old.raw, .readable, for: "the end of a lull-audio that is silent")
    try recorder.signal(Signal.interrupt)
    try recorder.end()
    try check(stage.samples(of: "out.raw"), Array(wave.samples.drop { $0 == 0 }))
    _ = try stage.play("noise.wav", name: "next")
    _ = try stage.session(of: "next") { $0[.state] == "running" }
    #expect(try installed.isRun("lull-audio", by: stage.audio()))
  }

  /// Compares from both ends: what lies between is the gap, in which nothing may be lost or come twice for
  /// longer than that.
  private func check(_ heard: ArraySlice<Int16>, _ wanted: [Int16]) {
    let begin = zip(heard, wanted).prefix { $0 == $1 }.count
    guard begin < wanted.count else { return }
    let end = zip(heard.reversed(), wanted.reversed()).prefix { $0 == $1 }.count
    #expect(begin > Wave.rate && end > Wave.rate, "the same at the ends: \(begin) and \(end) samples")
    let (gap, missing) = (heard.count - begin - end, wanted.count - begin - end)
    #expect(gap <= Self.longestGap, "a gap of \(gap / 2) frames")
    #expect(abs(missing) <= Self.longestGap, "\(missing / 2) frames are missing")
  }
}

extension AudioStage {
  /// A recording without the silence around it, in samples.
  fileprivate func samples(of recording: String) throws -> ArraySlice<Int16> {
    let bytes = try Files.read(path(recording), limit: 1 << 28)
    let samples = stride(from: 0, to: bytes.count - 1, by: 2).map {
      Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
    }
    let last = samples.lastIndex { $0 != 0 } ?? 0
    return (samples.firstIndex { $0 != 0 }).map { samples[$0...last] } ?? []
  }
}
