import LullAudio

/// A device that runs by the test's clock and keeps the played frames.
final class FakeSink: Sink {
  let format: SinkFormat
  private(set) var played: [Float] = []
  private var queue: [Float] = []
  private var head = 0
  private(set) var isRunning = false
  /// The error that every call throws, once it is set.
  var failure: SinkError?
  /// The calls that can throw an error once.
  enum Call: CaseIterable { case room, write, start }
  var nextFailure: (call: Call, error: SinkError)?

  /// True when the device gives back the frames that it is not about to play, and plays on.
  var rewinds = false
  /// The frames that the device does not give back when it is stopped.
  var takesAhead = 0
  /// The frames by which the device has played less than it says.
  var isLateBy = 0
  /// The frames that the device plays at a time; what fills no step waits until the device is told to finish.
  var step = 1
  private var isFinishing = false
  /// True while the device takes frames and does not move.
  var isSuspended = false
  /// The number of times that the device was stopped while it played.
  private(set) var stops = 0

  init(rate: Int = 48_000, channels: Int = 2, buffer: Int = 24_000) {
    format = SinkFormat(device: "fake", rate: rate, channels: channels, buffer: buffer, margin: buffer / 4)
  }

  var queued: Int { (queue.count - head) / format.channels }

  /// Plays `frames` frames.
  func play(_ frames: Int) {
    guard isRunning, !isSuspended else { return }
    let ready = isFinishing ? queued : queued / step * step
    let count = min(frames, ready) * format.channels
    played += queue[head..<head + count]
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
    return max(0, queued - isLateBy)
  }

  func write(_ samples: UnsafeBufferPointer<Float>, anew: Bool) throws(SinkError) -> Int {
    try check(.write)
    queue = anew ? [] : Array(queue[head...])
    (head, isFinishing) = (0, false)
    queue += unsafe Array(samples)
    return samples.count / format.channels
  }

  func start() throws(SinkError) {
    try check(.start)
    isRunning = true
  }

  func finish() throws(SinkError) { isFinishing = true }

  func rewind(_ frames: Int) -> Int {
    guard rewinds, isRunning else { return 0 }
    let count = max(0, min(frames, queued - format.rate / 200))
    queue.removeLast(count * format.channels)
    return count
  }

  @discardableResult func stop() -> Int? {
    if isRunning, queued > 0 { stops += 1 }
    // Frames that have left the buffer play all the same.
    let taken = isRunning ? min(takesAhead, queued) : 0
    play(taken)
    let unplayed = queued
    (queue, head) = ([], 0)
    isRunning = false
    return unplayed
  }
}
