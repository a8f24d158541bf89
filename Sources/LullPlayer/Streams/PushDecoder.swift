/// Frames per second and samples per frame.
struct StreamFormat: Equatable {
  var rate: Int
  var channels: Int
}

/// Turns bytes into frames of floats as the bytes come.
protocol PushDecoder: AnyObject {
  /// The format; nil until enough bytes have come.
  var format: StreamFormat? { get }
  /// The comments of the stream so far.
  var comments: Comments { get }
  /// The number of frames of the whole; nil: not known.
  var frames: Int64? { get }
  /// Takes the next bytes.
  func feed(_ bytes: ArraySlice<UInt8>)
  /// Notes that no more bytes come.
  func finish()
  /// Appends some interleaved samples of the bytes that were fed.
  func decode(onto samples: inout [Float]) -> PushStep
}

/// The result of a step of decoding.
enum PushStep: Equatable {
  /// Perhaps samples; there may be more.
  case decoded
  /// More bytes are needed; after the last there are no more samples.
  case starving
  /// The reason, in one clause.
  case failed(String)
}

extension PushStep {
  /// The most bytes in a row without a sample: a head may have pictures, and a stream may be forged.
  static let mostSilentBytes = 1 << 24

  /// What is wrong where more come.
  static let silence = "no sound in \(mostSilentBytes >> 20) MiB of it"
}

extension PushDecoder {
  var frames: Int64? { nil }
}
