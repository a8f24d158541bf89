import LullAudio

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

  /// It gives back what it is not about to play, and plays on.
  var rewinds = false
  /// So many frames it does not give back when it is stopped.
  var takesAhead = 0
  /// So many frames fewer than it says it has played.
  var isLateBy = 0
  /// How often it was stopped in the midst of its sound.
  private(set) var stops = 0

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
    return max(0, queued - isLateBy)
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

  func rewind(_ frames: Int) -> Int {
    guard rewinds, isRunning else { return 0 }
    let count = max(0, min(frames, queued - format.rate / 200))
    queue.removeLast(count * format.channels)
    return count
  }

  @discardableResult func stop() -> Int? {
    if isRunning, queued > 0 { stops += 1 }
    // What has left its buffer is heard all the same.
    let taken = isRunning ? min(takesAhead, queued) : 0
    play(taken)
    let unheard = queued
    (queue, head) = ([], 0)
    isRunning = false
    return unheard
  }
}
