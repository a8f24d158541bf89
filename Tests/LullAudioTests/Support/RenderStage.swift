import LullAudio
import LullEngine
import LullSystem
import Testing

/// A renderer on a fake device, with the test's clock.
final class RenderStage {
  private(set) var sink = FakeSink()
  private var made: Renderer?
  private(set) var reports: [AudioReport] = []
  private(set) var requests: [SinkRequest] = []
  private(set) var now: Int64 = 1_000_000_000_000
  private(set) var passes = 0
  private var due: Int64?

  init(_ sink: FakeSink = FakeSink()) {
    self.sink = sink
    made = Renderer(
      open: { [unowned self] request throws(SinkError) in
        requests.append(request)
        if let failure = self.sink.failure { throw failure }
        return self.sink
      },
      report: { [unowned self] report in reports.append(report) })
  }

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

  /// Lets time go by, with a pass whenever one is due.
  func run(milliseconds: Int, each: () -> Void = {}) {
    for _ in 0..<milliseconds {
      now += 1_000_000
      sink.play(sink.format.rate / 1000)
      each()
      if let due, due <= now { pass() }
    }
  }

  /// The machine sleeps and wakes; the device has been silent meanwhile.
  func suspend(days: Int64) { now += days * 86_400_000_000_000 }

  /// A change that a program made rings our bell.
  func look() { pass() }
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
    id: UInt64 = 1, rate: Int = 48_000, channels: Int = 2, frames: Int = 480_000, order: SessionOrder = .play,
    lowWater: UInt64? = nil, latency: Double = 0.5
  ) throws {
    format = try #require(FrameFormat(rate: rate, channels: channels, sample: .f32))
    self.frames = frames
    memory = try SharedMemory.create(name: "ring", count: 4096 + frames * format.frameBytes).memory
    let (here, there) = try UnixSocket.pair()
    other = here
    let ring = try #require(RingServer(memory, capacity: frames, frameBytes: format.frameBytes))
    let request = SessionRequest(
      id: id, format: format, frames: frames, order: order, lowWater: lowWater, latency: latency)
    session = try #require(PlaySession(request, ring: ring, bell: Bell(there), policy: AudibilityPolicy()))
    set(Float(1).bitPattern, at: 28)
  }

  func set<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
    unsafe memory.base.storeBytes(of: value, toByteOffset: offset, as: Value.self)
  }

  func read<Value: FixedWidthInteger>(_ offset: Int, as type: Value.Type) -> Value {
    unsafe memory.base.loadUnaligned(fromByteOffset: offset, as: Value.self)
  }

  var moved: UInt64 { read(64, as: UInt64.self) }
  var state: RingState? { RingState(rawValue: read(88, as: UInt32.self)) }

  func command(_ command: RingRequest.Command) { set(command.rawValue, at: 24) }

  /// Writes frames; every channel gets the sample that belongs to its position.
  func write(_ count: Int, _ sample: (UInt64) -> Float) {
    for _ in 0..<count {
      let place = 4096 + Int(written % UInt64(frames)) * format.frameBytes
      for channel in 0..<format.channels {
        unsafe memory.base.storeBytes(of: sample(written), toByteOffset: place + 4 * channel, as: Float.self)
      }
      written += 1
    }
    set(written, at: 0)
  }
}
