import Glibc
import LullRing
import LullSystem
import TestSupport
import Testing

@testable import LullAudio

/// The behaviour of a device of either library: the contract of `Sink`, on a sink that plays in real time.
@Suite(.serialized, .bounded) struct SinkTests {
  enum Library: CaseIterable { case alsa, pulse }

  private let server: AudioSink

  init() throws {
    server = try AudioSink()
    for entry in server.environment {
      let name = entry.prefix { $0 != "=" }
      #expect(unsafe setenv(String(name), String(entry.dropFirst(name.count + 1)), 1) == 0)
    }
  }

  private func open(_ library: Library, seconds: Double) throws -> any Sink {
    let request = SinkRequest(seconds: seconds)
    switch library {
    case .alsa: return try AlsaDevice(name: "default", .play, request)
    case .pulse:
      let sink = try DeviceOpener.play("default", request)
      #expect(sink is PulseSink, "a default that leads to PulseAudio is opened there")
      return sink
    }
  }

  /// Hands over frames of 16 bits, as many as the sink takes; returns their number.
  private func write(_ content: ArraySlice<UInt32>, to sink: any Sink, anew: Bool = false) throws -> Int {
    let samples = content.flatMap { frame in
      [frame & 0xFFFF, frame >> 16].map { Float(Int16(bitPattern: UInt16($0))) / 32_768 }
    }
    return try unsafe samples.withUnsafeBufferPointer { try unsafe sink.write($0, anew: anew) }
  }

  /// Writes all of the content as room comes, and waits until it has been played.
  private func play(
    _ content: [UInt32], on sink: any Sink, anew: Bool = false, _ each: (Int) throws -> Void = { _ in }
  ) throws {
    let room = anew ? sink.format.buffer : try sink.room()
    var next = try write(content.prefix(room), to: sink, anew: anew)
    try sink.start()
    try eventually("it is not heard: \(next) of \(content.count) frames were taken") {
      guard next < content.count else {
        let delay = try ended(sink)
        try each(next - delay)
        return delay == 0
      }
      let delay = try sink.delay()
      #expect(delay <= next, "it has frames that nobody wrote")
      try each(next - delay)
      let room = try sink.room()
      if room >= sink.format.buffer / 4 { next += try write(content[next...].prefix(room), to: sink) }
      return false
    }
  }

  /// The frames that are left to play; 0 for a device that has run dry.
  private func ended(_ sink: any Sink) throws -> Int {
    do { return try sink.delay() } catch SinkError.ranDry { return 0 }
  }

  /// Waits until the last frame is heard, and looks back from there: ALSA's plugin loses the first frames now
  /// and then.
  private func expect(_ content: [UInt32], in recorder: Recorder, by library: Library = .pulse) throws {
    try recorder.until("the end is not heard") { $0.last { $0 != 0 } == content.last }
    let end = try #require(recorder.frames.lastIndex { $0 != 0 })
    let same = zip(recorder.frames[...end].reversed(), content.reversed()).prefix { $0 == $1 }.count
    let least = library == .pulse ? content.count : content.count / 2
    #expect(same >= least, "only the last \(same) of \(content.count) frames are the same")
  }

  @Test(arguments: Library.allCases, [0.5, 0.1])
  func `what is written is heard to the bit, and it tells how far`(library: Library, seconds: Double) throws {
    let recorder = try server.record()
    let sink = try open(library, seconds: seconds)
    #expect(sink.format.rate == 48_000 && sink.format.channels == 2)
    #expect(try sink.room() >= Int(seconds * 48_000))
    let content = noise(72_000)
    var heard = 0
    try play(content, on: sink) { position in
      try recorder.read()
      #expect(position >= heard - 480, "it goes back from \(heard) to \(position)")
      heard = max(heard, position)
    }
    try expect(content, in: recorder, by: library)
  }

  @Test(arguments: Library.allCases)
  func `stop is silent at once, and what is written then is heard from its beginning`(library: Library) throws
  {
    let recorder = try server.record()
    let sink = try open(library, seconds: 0.5)
    let (old, new) = (noise(24_000, seed: 1), noise(12_000, seed: 2))
    #expect(try write(old[...], to: sink) == 24_000)
    try sink.start()
    try eventually("it does not begin") { try sink.delay() < 19_200 }
    let unplayed = try #require(sink.stop())
    try play(new, on: sink, anew: true)
    try expect(new, in: recorder, by: library)
    let last = try #require(old.last)
    let isPlayedOn = recorder.frames.contains(last)
    #expect(!isPlayedOn)
    // The plugin of ALSA tells only the clock's estimate.
    guard library == .pulse else { return }
    let begin = try #require(recorder.frames.firstIndex(of: old[0]))
    let heard = zip(recorder.frames[begin...], old).prefix { $0 == $1 }.count
    #expect(heard == old.count - unplayed)
  }

  // The plugin of ALSA loses the first frames now and then.
  @Test func `a device that has run dry is begun anew, and loses nothing`() throws {
    let recorder = try server.record()
    let sink = try open(.pulse, seconds: 0.5)
    for seed in 1...3 as ClosedRange<UInt32> {
      let content = noise(9600, seed: seed)
      try play(content, on: sink, anew: seed > 1)
      try expect(content, in: recorder)
    }
  }

  @Test(arguments: Library.allCases)
  func `a server that dies is said, and another one is found`(library: Library) throws {
    let sink = try open(library, seconds: 0.5)
    let content = noise(24_000)
    _ = try write(content[...], to: sink)
    try sink.start()
    try server.unplug()
    try eventually("nothing is said") {
      do { return try sink.delay() < 0 } catch SinkError.gone { return true }
    }
    #expect(throws: SinkError.self) { try open(library, seconds: 0.5) }
    try server.start()
    try eventually("it is not opened again") {
      guard let sink = try? DeviceOpener.play("default", SinkRequest()) else { return false }
      return sink is PulseSink
    }
  }

  @Test func `a device of that server is opened by its name, and a missing one is said`() throws {
    #expect(try DeviceOpener.play("pulse:lull", SinkRequest()).format.device == "pulse:lull")
    #expect(throws: SinkError.gone("pulse:none: No such entity")) {
      try DeviceOpener.play("pulse:none", SinkRequest())
    }
  }

  @Test func `what the sink plays is captured from its monitor`() throws {
    let source = try DeviceOpener.capture("pulse:lull.monitor", SinkRequest(seconds: 0.08))
    let sink = try open(.pulse, seconds: 0.1)
    try source.prepare()
    try source.start()
    let content = noise(24_000)
    let room = SampleBuffer(count: 2048)
    var captured: [UInt32] = []
    func take() throws {
      let count = try unsafe source.read(into: room.base, frames: 1024)
      for frame in 0..<count {
        let halves = (0..<2).map { unsafe UInt16(bitPattern: Int16(room.samples[2 * frame + $0] * 32_768)) }
        captured.append(UInt32(halves[0]) | UInt32(halves[1]) << 16)
      }
    }
    try play(content, on: sink) { _ in try take() }
    try eventually("the end is not captured") {
      try take()
      return captured.last { $0 != 0 } == content.last
    }
    let begin = captured.firstIndex(of: content[0])
    let first = try #require(begin, "the beginning is not captured")
    let isSame = captured[first...].prefix(content.count).elementsEqual(content)
    #expect(isSame)
  }

  @Test func `what was taken back is not heard if nothing follows`() throws {
    let recorder = try server.record()
    let sink = try open(.pulse, seconds: 2)
    let content = noise(96_000)
    #expect(try write(content[...], to: sink) == content.count)
    try sink.start()
    try eventually("it does not begin") { try sink.delay() < content.count - 2000 }
    let count = sink.rewind(content.count)
    #expect(count > 4800)
    try eventually("it does not end") { try ended(sink) == 0 }
    try expect(Array(content.prefix(content.count - count)), in: recorder)
    let hasMore = recorder.frames.contains(try #require(content.last))
    #expect(!hasMore)
    _ = sink.stop()
    let more = noise(9600, seed: 2)
    try play(more, on: sink, anew: true)
    try expect(more, in: recorder)
  }

  // The plugin of ALSA tells only the clock's estimate.
  @Test func `a suspended device does not move and nobody hears it, until it goes on`() throws {
    try server.suspend(true)
    var reports: [AudioReport] = []
    let renderer = Renderer(
      audience: Audience(report: { reports.append($0) }),
      open: { request throws(SinkError) in try DeviceOpener.play("default", request) },
      report: { reports.append($0) })
    let session = try RenderSession()
    session.write(480_000) { $0 / 50 % 2 == 0 ? 0.5 : -0.5 }
    renderer.add(session.session)
    session.setTransport(.play)
    var due: Int64? = Clock.monotonic()
    func until(_ comment: Comment, _ isSo: @escaping (AudioReport) -> Bool) throws {
      try eventually(comment) {
        let now = Clock.monotonic()
        if let at = due, at <= now { due = renderer.pass(now: now) }
        return reports.contains(where: isSo)
      }
    }
    try until("it is not told as gone") { $0 == .routeGone }
    #expect(session.moved == 0)
    let isHeard: (AudioReport) -> Bool = { $0 == .sounding(program: 1, of: .all) }
    #expect(!reports.contains(where: isHeard))
    try server.suspend(false)
    try until("it is not heard", isHeard)
    #expect(reports.contains { if case .routeNew = $0 { true } else { false } })
  }
}
