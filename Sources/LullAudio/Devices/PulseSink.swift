internal import LullSystem

/// A device of a PulseAudio server, or of PipeWire in its place, for playing. It has no thread and no
/// descriptor to wait for: the renderer's passes serve it, as they serve an ALSA device.
@safe final class PulseSink: Sink {
  let format: SinkFormat
  private let stream: PulseStream
  private let sample: SampleFormat
  private let bytes: UnsafeMutableRawPointer
  private var isRunning = false
  /// Frames written since the stream was empty and not running.
  private var written = 0
  /// Frames of silence behind the written ones; the next frames overwrite them.
  private var padding = 0
  /// A time at which the device had not reached the silence.
  private var paddedAt: Int64 = 0
  private var position: PulsePosition?
  private var underflow: Int64

  /// The nanoseconds that the server may take to tell its position.
  private static let patience: Int64 = 20_000_000
  /// The same, where without an answer frames would be played twice, or be lost.
  private static let longPatience: Int64 = 100_000_000

  init(_ address: PulseAddress, name: String, _ request: SinkRequest) throws(SinkError) {
    let wanted = PulseFormat(request)
    stream = try PulseStream(.play, address: address, format: wanted, buffer: PulseBuffer(playing: request))
    let ahead = try stream.answer(within: Self.patience)?.ahead ?? 0
    let buffer = stream.length + ahead
    // The frames that the device takes ahead count neither as room nor as level, so it never takes a lot at
    // once.
    format = SinkFormat(
      device: name, rate: wanted.rate, channels: wanted.channels, buffer: buffer, margin: buffer / 10)
    (sample, underflow) = (wanted.sample, stream.underflow)
    unsafe bytes = .allocate(byteCount: buffer * wanted.frameBytes, alignment: 16)
  }

  deinit { unsafe bytes.deallocate() }

  /// The device may take its frames ahead in one go at any time: only the frames behind them are its level.
  func room() throws(SinkError) -> Int {
    let level = try max(0, delay() - (isRunning ? position?.ahead ?? 0 : 0))
    return max(0, format.buffer - level)
  }

  func delay() throws(SinkError) -> Int {
    try stream.look()
    guard isRunning else { return written }
    let now = Clock.monotonic()
    if let answer = stream.answer() { note(answer) }
    let hasRunDry = stream.underflow != underflow
    underflow = stream.underflow
    if hasRunDry || (position?.isStale(written: written, now: now) ?? true) {
      // An answer to a question from before the underrun does not know of the underrun.
      stream.forgetQuestion()
      if let answer = try stream.answer(within: Self.patience) {
        note(answer)
        let rest = answer.queued - padding
        if !answer.isPlaying, rest > 0, rest < answer.ahead { try finish() }
      }
    } else if position?.isOld(now: now) ?? false {
      stream.ask()
      try stream.look()
    }
    return position?.delay(written: written, now: now) ?? written
  }

  private func note(_ timing: PulseTiming) {
    position = PulsePosition(timing, written: written + padding, rate: format.rate)
  }

  func write(_ samples: UnsafeBufferPointer<Float>, anew: Bool) throws(SinkError) -> Int {
    guard let base = samples.baseAddress else { return 0 }
    if anew {
      stream.forgetQuestion()
      // Silence that is left would be heard before the frames.
      if padding > 0 { stream.flush() }
      (written, padding, position) = (0, 0, nil)
    }
    guard padding == 0 || holdsPadding else { throw .ranDry }
    let frames = min(samples.count / format.channels, format.buffer)
    unsafe Convert.fromFloat(base, sample, count: frames * format.channels, into: bytes)
    try unsafe stream.write(bytes, frames: frames, over: padding)
    (written, padding) = (written + frames, 0)
    return frames
  }

  func start() throws(SinkError) {
    guard !isRunning else { return }
    (isRunning, position) = (true, nil)
    stream.run(true)
    try stream.look()
  }

  /// PipeWire plays what fills a step of its own, and keeps the rest until more comes: silence follows.
  func finish() throws(SinkError) {
    let count = format.buffer - padding
    guard isRunning, count > 0 else { return }
    if padding == 0 { paddedAt = 0 }
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: count * stream.frameBytes)
    try unsafe stream.write(bytes, frames: count, over: 0)
    padding = format.buffer
  }

  var rewindsLate: Bool { true }

  /// The device may take its frames ahead at any moment, so that many frames are not taken back.
  func rewind(_ frames: Int) -> Int {
    stream.forgetQuestion()
    guard isRunning, let answer = try? stream.answer(within: Self.patience), answer.isPlaying else {
      return 0
    }
    note(answer)
    let count = min(frames, answer.queued - padding - answer.ahead, format.buffer)
    guard count > 0 else { return 0 }
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: count * stream.frameBytes)
    // Silence overwrites the frames taken back: they must not play if no other frames follow.
    guard (try? unsafe stream.write(bytes, frames: count, over: padding + count)) != nil else { return 0 }
    (written, padding, paddedAt) = (written - count, count, Clock.monotonic())
    return count
  }

  private var holdsPadding: Bool {
    guard Clock.monotonic() - paddedAt > 5_000_000 else { return true }
    stream.forgetQuestion()
    guard let answer = try? stream.answer(within: Self.longPatience) else { return false }
    note(answer)
    return answer.queued > padding
  }

  func stop() -> Int? {
    // The cork comes first: the frames that the device gives back must be in the queue before it is measured
    // and flushed.
    stream.run(false)
    stream.forgetQuestion()
    let answer = isRunning ? try? stream.answer(within: Self.longPatience) : nil
    let unplayed = isRunning ? answer.map { max(0, $0.queued - padding) } : 0
    stream.flush()
    stream.forgetQuestion()
    (isRunning, written, padding, position) = (false, 0, 0, nil)
    // A server that is gone is noticed with the next frames.
    try? stream.look()
    return unplayed
  }
}

/// The play position of a stream. Between two answers of its server the clock advances it.
struct PulsePosition: Equatable {
  let rate: Int
  /// Frames played, of those that were written since the stream was empty.
  let played: Int
  let ahead: Int
  private let isPlaying: Bool
  private let at: Int64

  init(_ timing: PulseTiming, written: Int, rate: Int) {
    self.rate = rate
    played = max(0, written - timing.queued - timing.device)
    ahead = max(timing.ahead, timing.device)
    (isPlaying, at) = (timing.isPlaying, timing.at)
  }

  /// Frames written and not played at a moment of CLOCK_MONOTONIC.
  func delay(written: Int, now: Int64) -> Int {
    max(0, written - played - elapsed(now: now))
  }

  /// Whether the position must be asked for anew: it is trusted for two seconds, and never when it says that
  /// the stream is at its end, because the stream may stand still.
  func isStale(written: Int, now: Int64) -> Bool {
    !isPlaying || now - at > 2_000_000_000 || delay(written: written, now: now) == 0
  }

  /// Whether the server should be asked again, without waiting for the answer.
  func isOld(now: Int64) -> Bool { now - at > 900_000_000 }

  private func elapsed(now: Int64) -> Int {
    isPlaying ? Int(min(max(0, now - at), 10_000_000_000)) * rate / 1_000_000_000 : 0
  }
}
