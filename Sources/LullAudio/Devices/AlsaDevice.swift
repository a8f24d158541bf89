internal import CAlsa
internal import LullSystem

/// A sound device of ALSA. No call waits for sound.
@safe package final class AlsaDevice {
  package enum Direction { case play, capture }

  private let pcm: OpaquePointer
  package let format: SinkFormat
  private let sample: SampleFormat
  private let isHardware: Bool
  private let bytes: UnsafeMutableRawPointer
  /// The device takes all frames at once, as ALSA's `null` does: the clock plays them.
  private var hasNoClock = false
  /// Frames written since the device was made ready.
  private var given = 0
  /// The time of the start since then, by CLOCK_MONOTONIC.
  private var startedAt: Int64?

  package convenience init(name: String, _ direction: Direction, _ request: SinkRequest) throws(SinkError) {
    let stream = direction == .play ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
    var opened: OpaquePointer?
    try Self.check(unsafe snd_pcm_open(&opened, name, stream, SND_PCM_NONBLOCK), name)
    guard let pcm = unsafe opened else { throw .gone("no device") }
    try unsafe self.init(pcm, name: name, request)
  }

  /// Takes over an open device, with the parameters nearest to the request, and closes it on failure.
  init(_ pcm: OpaquePointer, name: String, _ request: SinkRequest) throws(SinkError) {
    do {
      let found = try unsafe AlsaParameters.set(pcm, request)
      unsafe self.pcm = unsafe pcm
      sample = found.sample
      isHardware = unsafe snd_pcm_type(pcm) == SND_PCM_TYPE_HW
      format = SinkFormat(
        device: name, rate: found.rate, channels: found.channels, buffer: found.buffer,
        margin: Self.margin(found, isHardware: isHardware), grain: isHardware ? 0 : found.period)
      unsafe bytes = .allocate(byteCount: found.buffer * found.channels * 4, alignment: 16)
    } catch {
      unsafe snd_pcm_close(pcm)
      throw error
    }
  }

  /// Hardware takes very few frames at a time; a device that is a program takes a period.
  private static func margin(_ found: AlsaParameters, isHardware: Bool) -> Int {
    min(isHardware ? found.rate / 40 : found.period + found.rate / 100, found.buffer / 2)
  }

  @discardableResult
  static func check<Value: SignedInteger>(_ value: Value, _ what: String) throws(SinkError) -> Value {
    guard value < 0 else { return value }
    let code = Int32(clamping: value)
    let error = SystemError(code: -code, call: what)
    if error.isOverOrUnderrun { throw .ranDry }
    if error.isStreamSuspended { throw .suspended }
    let text = unsafe String(cString: snd_strerror(code))
    throw .gone(error.isServerMissing ? "\(what): no sound server answers (\(text))" : "\(what): \(text)")
  }

  /// Returns 0 when the device is not ready.
  private static func frames(_ value: snd_pcm_sframes_t, _ what: String) throws(SinkError) -> Int {
    let error = SystemError(code: Int32(clamping: -value), call: what)
    return value < 0 && error.isWouldBlock ? 0 : try check(value, what)
  }

  deinit {
    unsafe snd_pcm_drop(pcm)
    unsafe snd_pcm_close(pcm)
    unsafe bytes.deallocate()
  }
}

extension AlsaDevice: Sink {
  package func prepare() throws(SinkError) {
    // After a suspend of the machine some devices must be resumed first; most cannot be resumed.
    if unsafe snd_pcm_state(pcm) == SND_PCM_STATE_SUSPENDED { unsafe snd_pcm_resume(pcm) }
    try Self.check(unsafe snd_pcm_prepare(pcm), "prepare")
    (given, startedAt) = (0, nil)
  }

  /// Plugins answer in every state, so the state is checked first.
  private func checkState() throws(SinkError) {
    switch unsafe snd_pcm_state(pcm) {
    case SND_PCM_STATE_XRUN: throw .ranDry
    case SND_PCM_STATE_SUSPENDED: throw .suspended
    default: break
    }
  }

  package func room() throws(SinkError) -> Int {
    try checkState()
    if hasNoClock { return try max(0, format.buffer - unplayed()) }
    let room = try Self.check(unsafe snd_pcm_avail(pcm), "avail")
    return min(room, format.buffer)
  }

  package func delay() throws(SinkError) -> Int {
    try checkState()
    if hasNoClock { return try unplayed() }
    var frames: snd_pcm_sframes_t = 0
    try Self.check(unsafe snd_pcm_delay(pcm, &frames), "delay")
    return max(0, frames)
  }

  private func unplayed() throws(SinkError) -> Int {
    guard let startedAt else { return given }
    let (seconds, rest) = (Clock.monotonic() - startedAt).quotientAndRemainder(dividingBy: 1_000_000_000)
    let unplayed = given - (Int(seconds) * format.rate + Int(rest) * format.rate / 1_000_000_000)
    guard unplayed > 0 else { throw .ranDry }
    return unplayed
  }

  package func write(_ samples: UnsafeBufferPointer<Float>, anew: Bool) throws(SinkError) -> Int {
    guard let base = samples.baseAddress else { return 0 }
    let frames = min(samples.count / format.channels, format.buffer)
    unsafe Convert.fromFloat(base, sample, count: frames * format.channels, into: bytes)
    if anew {
      // Prepared right before the frames are written: PulseAudio lets time pass for a stream that is ready
      // and has no frames, and that time is lost.
      unsafe snd_pcm_drop(pcm)
      try prepare()
    }
    let written = unsafe snd_pcm_writei(pcm, bytes, snd_pcm_uframes_t(frames))
    let taken = try Self.frames(written, "write")
    given += taken
    return taken
  }

  package func start() throws(SinkError) {
    guard unsafe snd_pcm_state(pcm) != SND_PCM_STATE_RUNNING else { return }
    // A device with a clock keeps what it was given until it is started.
    let room = unsafe snd_pcm_avail(pcm)
    hasNoClock = given > 0 && room == format.buffer
    try Self.check(unsafe snd_pcm_start(pcm), "start")
    startedAt = Clock.monotonic()
  }

  /// Only hardware rewinds: a device that is a program may play frames that it claims to give back.
  package func rewind(_ frames: Int) -> Int {
    guard isHardware, unsafe snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING, unsafe snd_pcm_avail(pcm) >= 0
    else { return 0 }
    // The hardware fetches up to 5 ms of frames meanwhile.
    let count = unsafe min(frames, snd_pcm_rewindable(pcm) - format.rate / 200)
    return count > 0 ? unsafe max(0, snd_pcm_rewind(pcm, snd_pcm_uframes_t(count))) : 0
  }

  /// Hardware counts the frames in its buffer, other devices the frames that are not played.
  package func stop() -> Int? {
    let isRunning = unsafe snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING
    let unplayed = isRunning ? try? isHardware ? format.buffer - room() : min(delay(), format.buffer) : 0
    unsafe snd_pcm_drop(pcm)
    return unplayed
  }
}

extension AlsaDevice: AudioSource {
  package func read(into samples: UnsafeMutablePointer<Float>, frames: Int) throws(SinkError) -> Int {
    let count = unsafe snd_pcm_readi(pcm, bytes, snd_pcm_uframes_t(min(frames, format.buffer)))
    let read = try Self.frames(count, "read")
    unsafe Convert.toFloat(bytes, sample, count: read * format.channels, into: samples)
    return read
  }
}

extension AlsaDevice {
  /// Keeps the library from writing to standard error: the thrown errors hold its messages.
  package static func silenceLibrary() { calsa_silence() }
}
