internal import COpus

/// An error of libopus.
public struct OpusError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The error number of libopus.
  public let code: Int32

  init(_ code: Int32) { self.code = code }

  /// For example "Opus: corrupted stream".
  public var description: String { unsafe "Opus: \(String(cString: opus_strerror(code)))" }

  @discardableResult
  static func check(_ result: Int32) throws(OpusError) -> Int {
    guard result >= 0 else { throw OpusError(result) }
    return Int(result)
  }
}

/// The numbers of a call: 48 kHz, one channel, 20 ms.
public enum Opus {
  /// The samples per second, and the clock of RTP (RFC 7587, section 4.1).
  public static let rate = 48_000
  /// The samples of a frame of 20 ms.
  public static let frame = 960
  /// The longest packet in samples: 120 ms.
  public static let longestPacket = 5760
  /// The samples of 2.5 ms, of which every frame of Opus is a multiple.
  public static let step = 120
  /// Of one frame.
  static let maximumBytes = 1275
  /// A call takes packets of at most so many bytes: 120 ms of frames of 20 ms, 6 frames of `maximumBytes`
  /// with the 2 bytes of each length. The format would allow eight times as many, in frames that no encoder
  /// fills.
  static let largestPacket = 7664

  /// Nil for bytes that are no packet of Opus, or too many.
  static func samples(of packet: ArraySlice<UInt8>) -> Int? {
    guard packet.count <= largestPacket else { return nil }
    let count = unsafe packet.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return Int32(0) }
      return unsafe opus_packet_get_nb_samples(start, Int32(bytes.count), Int32(rate))
    }
    return count > 0 && Int(count) <= longestPacket ? Int(count) : nil
  }
}
