internal import COpus

/// libopus' decoder to one channel of 48 kHz; stereo is mixed down.
@safe public struct OpusDecoder: ~Copyable {
  private let state: OpaquePointer

  /// Creates a decoder.
  public init() throws(OpusError) {
    var code: Int32 = 0
    let created = unsafe opus_decoder_create(Int32(Opus.rate), 1, &code)
    guard let created = unsafe created else { throw OpusError(code) }
    unsafe state = created
  }

  deinit { unsafe opus_decoder_destroy(state) }

  /// Appends the samples of a packet.
  public mutating func decode(_ packet: ArraySlice<UInt8>, onto samples: inout [Int16]) throws(OpusError) {
    try decode(
      packet, room: Opus.samples(of: packet) ?? Opus.longestPacket, redundancy: false, into: &samples)
  }

  /// Appends lost samples, from the redundant copy (FEC) in the packet after the lost one; without such a
  /// copy the loss is concealed. `count` is a multiple of 2.5 ms.
  public mutating func recover(_ count: Int, from next: ArraySlice<UInt8>, onto samples: inout [Int16])
    throws(OpusError)
  {
    try decode(next, room: count, redundancy: true, into: &samples)
  }

  /// Appends samples for a loss or a pause, guessed from earlier ones: concealment, or comfort noise after
  /// DTX. `count` is a multiple of 2.5 ms.
  public mutating func conceal(_ count: Int, onto samples: inout [Int16]) throws(OpusError) {
    var left = count
    while left > 0 {
      try decode([], room: min(left, Opus.longestPacket), redundancy: false, into: &samples)
      left -= min(left, Opus.longestPacket)
    }
  }

  /// An empty packet is concealed.
  private mutating func decode(
    _ packet: ArraySlice<UInt8>, room: Int, redundancy: Bool, into samples: inout [Int16]
  ) throws(OpusError) {
    let start = samples.count
    samples += repeatElement(0, count: room)
    let result = unsafe packet.withUnsafeBufferPointer { bytes in
      unsafe samples.withUnsafeMutableBufferPointer { samples in
        guard let samples = samples.baseAddress else { return OPUS_BAD_ARG }
        return unsafe opus_decode(
          state, bytes.isEmpty ? nil : bytes.baseAddress, Int32(bytes.count), samples + start, Int32(room),
          redundancy ? 1 : 0)
      }
    }
    samples.removeSubrange((start + max(0, Int(result)))...)
    try OpusError.check(result)
  }
}
