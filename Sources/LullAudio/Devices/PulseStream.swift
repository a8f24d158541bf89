internal import CPulse
internal import LullSystem

/// The server's answer about a stream, in frames.
struct PulseTiming: Equatable {
  /// Frames written and not handed to the device.
  var queued: Int
  /// Frames handed to the device and not played.
  var device: Int
  /// Frames that the device takes ahead.
  var ahead: Int
  var isPlaying: Bool
  /// The moment of the answer, by CLOCK_MONOTONIC.
  var at: Int64
}

@safe final class PulseStream {
  let connection: PulseConnection
  let raw: OpaquePointer
  let rate: Int
  let frameBytes: Int
  private var question: OpaquePointer?
  /// Frames of the oldest captured piece that were taken.
  private var taken = 0

  /// The nanoseconds until a stream must be open: some servers wake their hardware first.
  private static let patience: Int64 = 2_000_000_000

  /// Opens a stream that does not run, on a connection of its own.
  convenience init(
    _ direction: AlsaDevice.Direction, address: PulseAddress, format: PulseFormat, buffer: PulseBuffer
  ) throws(SinkError) {
    let connection = try PulseConnection(address, within: Self.patience)
    try self.init(direction, on: connection, device: address.device, format: format, buffer: buffer)
    _ = connection.wait(Self.patience) { !isBeingMade }
    try look()
  }

  /// Has a stream made that does not run. A `device` of nil is the one that the user has chosen. With
  /// `monitoring` only the frames of that stream, which plays on the device, are captured.
  init(
    _ direction: AlsaDevice.Direction, on connection: PulseConnection, device: String?, format: PulseFormat,
    buffer: PulseBuffer, monitoring input: UInt32? = nil
  ) throws(SinkError) {
    let library = connection.library
    var specification = pa_sample_spec(
      format: format.sample == .s16 ? PA_SAMPLE_S16LE : PA_SAMPLE_FLOAT32LE, rate: UInt32(format.rate),
      channels: UInt8(format.channels))
    guard let raw = unsafe library.stream_new(connection.context, "Lull", &specification, nil) else {
      throw connection.failure
    }
    self.connection = connection
    unsafe self.raw = unsafe raw
    (rate, frameBytes) = (format.rate, format.frameBytes)
    var attributes = pa_buffer_attr(
      maxlength: .max, tlength: UInt32(buffer.length * frameBytes), prebuf: UInt32(frameBytes),
      minreq: UInt32(buffer.step * frameBytes), fragsize: UInt32(buffer.step * frameBytes))
    let flags = pa_stream_flags_t(
      rawValue: PA_STREAM_START_CORKED.rawValue | PA_STREAM_ADJUST_LATENCY.rawValue)
    if let input, unsafe library.stream_set_monitor_stream(raw, input) < 0 { throw connection.failure }
    let result =
      switch direction {
      case .play: unsafe library.stream_connect_playback(raw, device, &attributes, flags, nil, nil)
      case .capture: unsafe library.stream_connect_record(raw, device, &attributes, flags)
      }
    guard result >= 0 else { throw connection.failure }
  }

  /// False once the server has made the stream, or has refused it.
  var isBeingMade: Bool { unsafe connection.library.stream_get_state(raw) == PA_STREAM_CREATING }

  deinit {
    forgetQuestion()
    _ = unsafe connection.library.stream_disconnect(raw)
    unsafe connection.library.stream_unref(raw)
  }

  /// Receives the server's messages.
  func look() throws(SinkError) {
    try connection.look()
    guard unsafe connection.library.stream_get_state(raw) == PA_STREAM_READY else { throw connection.failure }
  }

  /// The buffer that the server granted, in frames.
  var length: Int {
    guard let attributes = unsafe connection.library.stream_get_buffer_attr(raw) else { return 0 }
    return unsafe Int(attributes.pointee.tlength) / frameBytes
  }

  /// A value that changes at each underrun.
  var underflow: Int64 { unsafe connection.library.stream_get_underflow_index(raw) }

  func run(_ runs: Bool) { unsafe forget(connection.library.stream_cork(raw, runs ? 0 : 1, nil, nil)) }

  /// Names the programs for which the stream runs; the name is sent at the next look.
  func name(_ programs: String) {
    unsafe withUnsafePointer(to: connection.library) { unsafe cpulse_name($0, raw, programs) }
  }

  func flush() { unsafe forget(connection.library.stream_flush(raw, nil, nil)) }

  private func forget(_ operation: OpaquePointer?) {
    if let operation = unsafe operation { unsafe connection.library.operation_unref(operation) }
  }
}

extension PulseStream {
  func ask() {
    if unsafe question == nil {
      unsafe question = unsafe connection.library.stream_update_timing_info(raw, nil, nil)
    }
  }

  func forgetQuestion() {
    guard let asked = unsafe question else { return }
    unsafe connection.library.operation_cancel(asked)
    unsafe connection.library.operation_unref(asked)
    unsafe question = nil
  }

  private var isAnswered: Bool {
    guard let asked = unsafe question else { return true }
    return unsafe connection.library.operation_get_state(asked) != PA_OPERATION_RUNNING
  }

  func answer() -> PulseTiming? {
    guard unsafe question != nil, isAnswered else { return nil }
    forgetQuestion()
    return timing
  }

  func answer(within nanoseconds: Int64) throws(SinkError) -> PulseTiming? {
    ask()
    let isThere = connection.wait(nanoseconds) { [unowned self] in isAnswered }
    try look()
    return isThere ? answer() : nil
  }

  var timing: PulseTiming? {
    guard let found = unsafe connection.library.stream_get_timing_info(raw) else { return nil }
    let timing = unsafe found.pointee
    guard timing.write_index_corrupt == 0, timing.read_index_corrupt == 0 else { return nil }
    // The library's stamp is of CLOCK_REALTIME, which users can set.
    let stamp = Int64(timing.timestamp.tv_sec) * 1_000_000_000 + Int64(timing.timestamp.tv_usec) * 1000
    let age = min(max(0, Clock.realtime() - stamp), 2_000_000_000)
    // After an underrun the device has silence behind the last frames.
    let silence = timing.playing != 0 ? 0 : timing.since_underrun < 0 ? .max : Int(timing.since_underrun)
    return PulseTiming(
      queued: max(0, Int(timing.write_index - timing.read_index)) / frameBytes,
      device: max(0, frames(timing.sink_usec) - silence / frameBytes),
      ahead: frames(timing.configured_sink_usec),
      isPlaying: timing.playing != 0, at: Clock.monotonic() - age)
  }

  private func frames(_ microseconds: UInt64) -> Int {
    Int(min(microseconds, 60_000_000)) * rate / 1_000_000
  }
}

extension PulseStream {
  /// Writes frames, the first of them over the last `last` frames that were written.
  func write(_ bytes: UnsafeRawPointer, frames: Int, over last: Int) throws(SinkError) {
    try look()
    let result = unsafe connection.library.stream_write(
      raw, bytes, frames * frameBytes, nil, Int64(-last * frameBytes), PA_SEEK_RELATIVE)
    guard result >= 0 else { throw connection.failure }
    try look()
  }

  /// Hands over captured frames, at most `frames`, and returns their number. The bytes are nil where the
  /// server has lost frames.
  func take(_ frames: Int, _ body: (UnsafeRawPointer?, Int) -> Void) throws(SinkError) -> Int {
    var (bytes, count): (UnsafeRawPointer?, Int) = (nil, 0)
    guard unsafe connection.library.stream_peek(raw, &bytes, &count) >= 0 else { throw connection.failure }
    guard count > taken * frameBytes else { return 0 }
    let given = min(frames, count / frameBytes - taken)
    unsafe body(bytes.map { unsafe $0 + taken * frameBytes }, given)
    taken += given
    guard taken == count / frameBytes else { return given }
    taken = 0
    _ = unsafe connection.library.stream_drop(raw)
    return given
  }
}
