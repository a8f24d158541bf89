internal import COpus

/// libopus' encoder for speech: one channel of 48 kHz, frames of 20 ms, with in-band FEC.
///
/// `OPUS_APPLICATION_VOIP` looks ahead 6.5 ms. `RESTRICTED_LOWDELAY` would save 4 ms of them, but has no SILK
/// layer, and the FEC of Opus is SILK's.
@safe public struct OpusEncoder: ~Copyable {
  /// The options of an encoder.
  public struct Settings: Sendable {
    /// Bits per second.
    public var bitRate: Int32 = 32_000
    /// True to send nothing in silence (DTX).
    public var usesDTX = false
    /// The loss in percent that is expected at first; it limits the bits that FEC takes.
    public var packetLoss: Int32 = 10
    /// The effort, 0 to 10.
    public var complexity: Int32 = 9

    /// Creates the settings of a call.
    public init() {}
  }

  private let state: OpaquePointer
  /// The samples by which a decoder's output lies behind the encoder's input.
  public let lookahead: Int

  /// Creates an encoder.
  public init(_ settings: Settings = Settings()) throws(OpusError) {
    var code: Int32 = 0
    let created = unsafe opus_encoder_create(Int32(Opus.rate), 1, OPUS_APPLICATION_VOIP, &code)
    guard let created = unsafe created else { throw OpusError(code) }
    do throws(OpusError) {
      lookahead = try unsafe OpusEncoder.configure(created, settings)
    } catch {
      unsafe opus_encoder_destroy(created)
      throw error
    }
    unsafe state = created
  }

  deinit { unsafe opus_encoder_destroy(state) }

  private static func configure(_ state: OpaquePointer, _ settings: Settings) throws(OpusError) -> Int {
    try OpusError.check(unsafe copus_set_bit_rate(state, settings.bitRate))
    try OpusError.check(unsafe copus_set_inband_fec(state, 1))
    try OpusError.check(unsafe copus_set_packet_loss(state, settings.packetLoss))
    try OpusError.check(unsafe copus_set_dtx(state, settings.usesDTX ? 1 : 0))
    try OpusError.check(unsafe copus_set_complexity(state, settings.complexity))
    // Sound that Opus takes for music is encoded without SILK, and so without FEC.
    try OpusError.check(unsafe copus_set_signal(state, OPUS_SIGNAL_VOICE))
    var samples: Int32 = 0
    try OpusError.check(unsafe copus_get_lookahead(state, &samples))
    return Int(samples)
  }

  /// Sets the loss in percent that the peer has seen.
  public mutating func expectPacketLoss(_ percent: Int32) throws(OpusError) {
    try OpusError.check(unsafe copus_set_packet_loss(state, min(max(percent, 0), 100)))
  }

  /// Encodes a frame of 960 samples over `packet` from `offset` on, and cuts `packet` off behind it. A result
  /// of one or two bytes is silence that need not be sent.
  public mutating func encode(_ frame: Span<Int16>, into packet: inout [UInt8], at offset: Int = 0)
    throws(OpusError)
  {
    precondition(frame.count == Opus.frame, "a frame has 960 samples")
    let needed = offset + Opus.maximumBytes
    if packet.count < needed { packet += repeatElement(0, count: needed - packet.count) }
    let result = unsafe frame.withUnsafeBufferPointer { samples in
      unsafe packet.withUnsafeMutableBufferPointer { room in
        guard let samples = samples.baseAddress, let room = room.baseAddress else { return OPUS_BAD_ARG }
        return unsafe opus_encode(
          state, samples, Int32(Opus.frame), room + offset, Int32(Opus.maximumBytes))
      }
    }
    packet.removeSubrange((offset + (try OpusError.check(result)))...)
  }
}
