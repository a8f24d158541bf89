/// Frames per second and samples per frame.
struct StreamFormat: Equatable {
  var rate: Int
  var channels: Int
}

/// Turns bytes into frames of floats as the bytes come.
protocol PushDecoder: AnyObject {
  /// Nil until enough has come to tell.
  var format: StreamFormat? { get }
  /// What the stream says of itself so far.
  var comments: Comments { get }
  /// Frames of the whole; nil: not known.
  var frames: Int64? { get }
  /// Takes the next bytes.
  func feed(_ bytes: ArraySlice<UInt8>)
  /// No bytes come any more.
  func finish()
  /// Appends some interleaved samples of what was fed.
  func decode(onto samples: inout [Float]) -> PushStep
}

/// What a step of decoding brought.
enum PushStep: Equatable {
  /// Perhaps samples; there may be more.
  case decoded
  /// More bytes are needed; after the last there are no more samples.
  case starving
  /// What is wrong, in one clause.
  case failed(String)
}

extension PushDecoder {
  var frames: Int64? { nil }
}
