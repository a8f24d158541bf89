import LullAudio
import LullEngine
import LullSystem
import Testing

/// A device whose time the test makes, and which keeps what was heard.
final class FakeSink: Sink {
  let format: SinkFormat
  private(set) var heard: [Float] = []
  private var queue: [Float] = []
  private var head = 0
  private(set) var isRunning = false
  /// Thrown by every call, once it is set.
  var failure: SinkError?
  /// Thrown once by the call of that name.
  enum Call: CaseIterable { case room, write, start }
  var nextFailure: (call: Call, error: SinkError)?

  init(rate: Int = 48_000, channels: Int = 2, buffer: Int = 24_000) {
    format = SinkFormat(device: "fake", rate: rate, channels: channels, buffer: buffer, margin: buffer / 4)
  }

  var queued: Int { (queue.count - head) / format.channels }

  /// So many frames are heard.
  func play(_ frames: Int) {
    guard isRunning else { return }
    let count = min(frames, queued) * format.channels
    heard += queue[head..<head + count]
    head += count
    if head == queue.count { isRunning = false }
  }

  private func check(_ call: Call? = nil) throws(SinkError) {
    if let failure { throw failure }
    guard let next = nextFailure, next.call == call else { return }
    nextFailure = nil
    if next.error == .ranDry || next.error == .suspended { stop() }
    throw next.error
  }

  func room() throws(SinkError) -> Int {
    try check(.room)
    return format.buffer - queued
  }

  func delay() throws(SinkError) -> Int {
    try check()
    guard isRunning else { throw .ranDry }
    return queued
  }

  func write(_ samples: UnsafeBufferPointer<Float>, anew: Bool) throws(SinkError) -> Int {
    try check(.write)
    queue = anew ? [] : Array(queue[head...])
    head = 0
    queue += unsafe Array(samples)
    return samples.count / format.channels
  }

  func start() throws(SinkError) {
    try check(.start)
    isRunning = true
  }

  func stop() {
    (queue, head) = ([], 0)
    isRunning = false
  }
}

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
