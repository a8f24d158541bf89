import LullAudio
import LullEngine
import LullRing
import LullSystem
import Testing

/// A renderer on a fake device, with the test's clock.
final class RenderStage {
  private(set) var sink = FakeSink()
  private var made: Renderer?
  /// The reports, with their times.
  private(set) var told: [(at: Int64, report: AudioReport)] = []
  /// Called with each report.
  var onReport: ((AudioReport) -> Void)?
  private(set) var requests: [SinkRequest] = []
  private(set) var now: Int64 = 1_000_000_000_000
  private(set) var passes = 0
  private(set) var due: Int64?

  init(_ sink: FakeSink = FakeSink()) {
    self.sink = sink
    made = Renderer(
      audience: Audience(report: { [weak self] report in self?.note(report) }),
      open: { [unowned self] request throws(SinkError) in
        requests.append(request)
        if let failure = self.sink.failure { throw failure }
        return self.sink
      },
      report: { [unowned self] report in note(report) })
  }

  func note(_ report: AudioReport) {
    told.append((now, report))
    onReport?(report)
  }

  var reports: [AudioReport] { told.map(\.report) }

  /// True when the program was ever reported as sounding.
  func hasSounded(_ program: UInt64 = 1) -> Bool {
    reports.contains { if case .sounding(program, _) = $0 { true } else { false } }
  }

  /// The end of a program's lease by the last report; nil while the program sounds and when it never did.
  func leaseEnd(_ scope: AudioScope = .all, program: UInt64 = 1) -> Int64? {
    var end: Int64?
    for (at, report) in told {
      switch report {
      case .sounding(program, scope): end = nil
      case .quiet(program, scope, let seconds): end = at + Int64(seconds * 1e9)
      default: break
      }
    }
    return end
  }

  /// True when no reported lease of the program ended before the program sounded again.
  var isResident: Bool { isHeldThroughout(told) }

  var renderer: Renderer {
    guard let made else { preconditionFailure("the stage is being made") }
    return made
  }

  func open(_ session: RenderSession) {
    renderer.add(session.session)
    pass()
  }

  func pass() {
    passes += 1
    due = renderer.pass(now: now)
  }

  /// Advances the clock, then makes a pass.
  func pass(by milliseconds: Int) {
    now += Int64(milliseconds) * 1_000_000
    sink.play(sink.format.rate * milliseconds / 1000)
  }

  /// Advances the clock in steps, with a pass whenever one is due.
  func run(milliseconds: Int, step: Int = 1, each: () -> Void = {}) {
    for _ in 0..<milliseconds / step {
      pass(by: step)
      each()
      if let due, due <= now { pass() }
    }
  }

  /// The machine sleeps and wakes; the device has been silent meanwhile.
  func suspend(days: Int64) { now += days * 86_400_000_000_000 }

  /// Makes a pass, as the doorbell does when a program has made a change.
  func look() { pass() }
}

/// True when no lease of program 1 ended before the program sounded again, by these reports.
func isHeldThroughout(_ told: [(at: Int64, report: AudioReport)]) -> Bool {
  var end = Int64.max
  for (at, report) in told {
    switch report {
    case .sounding(1, .all):
      guard at <= end else { return false }
      end = .max
    case .quiet(1, .all, let seconds): end = at + Int64(seconds * 1e9)
    default: break
    }
  }
  return true
}

/// A session whose ring the test fills.
final class RenderSession {
  let memory: SharedMemory
  let session: PlaySession
  let other: DescriptorBox
  let format: FrameFormat
  let frames: Int
  private(set) var written: UInt64 = 0

  init(
    id: UInt64 = 1, rate: Int = 48_000, channels: Int = 2, frames: Int = 480_000, order: AudioOrder = .play,
    lowWater: UInt64? = nil, latency: Double = 0.5, program: UInt64 = 1, isSpoken: Bool = false,
    silence: Interval? = nil
  ) throws {
    format = try #require(FrameFormat(rate: rate, channels: channels, sample: .f32))
    self.frames = frames
    memory = try SharedMemory.create(name: "ring", count: 4096 + frames * format.frameBytes).memory
    let (here, there) = try UnixSocket.pair()
    other = here
    let ring = try #require(RingServer(memory, capacity: frames, frameBytes: format.frameBytes))
    let request = SessionRequest(
      id: id, format: format, frames: frames, order: order, isSpoken: isSpoken, lowWater: lowWater,
      latency: latency, program: program, silence: silence)
    session = try #require(PlaySession(request, ring: ring, doorbell: Doorbell(there)))
    set(Float(1).bitPattern, at: 28)
  }

  /// The same session in another lull-audio, which goes on with the ring.
  func goingOn() throws -> PlaySession {
    let ring = try #require(RingServer(memory, capacity: frames, frameBytes: format.frameBytes))
    let doorbell = Doorbell(DescriptorBox(try .duplicating(other.raw)))
    return try #require(PlaySession(session.request, ring: ring, doorbell: doorbell))
  }

  func set<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
    unsafe memory.base.storeBytes(of: value, toByteOffset: offset, as: Value.self)
  }

  func read<Value: FixedWidthInteger>(_ offset: Int, as type: Value.Type) -> Value {
    unsafe memory.base.loadUnaligned(fromByteOffset: offset, as: Value.self)
  }

  var moved: UInt64 { read(64, as: UInt64.self) }
  var state: SessionState? { SessionState(ringNumber: read(88, as: UInt32.self)) }

  func setTransport(_ transport: RingRequest.Transport) { set(transport.rawValue, at: 24) }

  /// Puts `written` back: frames behind a position do not count any more.
  func goBack(to position: UInt64) {
    written = position
    set(written, at: 0)
  }

  /// Writes as many frames as there is room for.
  func fill(_ sample: (UInt64) -> Float) { write(frames - Int(written - moved), sample) }

  /// Overwrites the written frames from a position on, which are not played as far as the program knows.
  func overwrite(from position: UInt64, _ sample: (UInt64) -> Float) {
    guard position < written else { return }
    for place in position..<written { store(place) { _ in sample(place) } }
  }

  /// Fills the ring with frames whose right channel cancels the left one.
  func fillAntiphase(_ sample: (UInt64) -> Float) {
    while written - moved < UInt64(frames) {
      store(written) { $0 == 0 ? sample(written) : -sample(written) }
      written += 1
    }
    set(written, at: 0)
  }

  /// Writes frames; every channel gets the sample that belongs to its position.
  func write(_ count: Int, _ sample: (UInt64) -> Float) {
    for _ in 0..<count {
      store(written) { _ in sample(written) }
      written += 1
    }
    set(written, at: 0)
  }

  private func store(_ position: UInt64, _ sample: (Int) -> Float) {
    let place = 4096 + Int(position % UInt64(frames)) * format.frameBytes
    for channel in 0..<format.channels {
      unsafe memory.base.storeBytes(of: sample(channel), toByteOffset: place + 4 * channel, as: Float.self)
    }
  }
}
