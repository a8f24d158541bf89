import Lull

/// An item that is being decoded.
final class Source {
  let item: ItemID
  let decoder: any Decoding
  /// The factor of the item's samples; nil: they are played as they are.
  var gain: Float?
  /// The second at which the item begins, once its description is known.
  let seconds: Double
  /// True when any frame came from the decoder.
  var hasFrames = false

  init(_ item: ItemID, _ decoder: any Decoding, seconds: Double) {
    (self.item, self.decoder, self.seconds) = (item, decoder, seconds)
  }

  /// Reads frames, with the item's gain.
  func read(_ sample: SampleFormat, into piece: UnsafeMutableRawBufferPointer, channels: Int) -> DecodedFrames
  {
    let outcome = unsafe decoder.read(sample, into: piece)
    if let gain, case .frames(let count) = outcome {
      let bytes = count * channels * sample.bytes
      unsafe SampleGain.apply(gain, sample, to: UnsafeMutableRawBufferPointer(rebasing: piece[..<bytes]))
    }
    return outcome
  }
}

extension FrameFormat {
  /// True when frames of the other format fit without loss and without a gap.
  func takes(_ other: FrameFormat) -> Bool {
    other.rate == rate && other.channels == channels && other.sample.rank <= sample.rank
  }
}

extension SampleFormat {
  /// A sample of a higher rank holds every sample of a lower one that files have.
  var rank: Int {
    switch self {
    case .u8: 0
    case .s16: 1
    case .s24: 2
    case .s32: 3
    case .f32: 4
    }
  }
}

extension Queue {
  /// The format of an audio session that starts with `format`. Its samples hold those of all items of the
  /// same rate and channels, so that no gap is left between them.
  func sessionFormat(for format: FrameFormat) -> FrameFormat {
    var widest = format
    for case let other? in items.map(\.description?.format)
    where other.rate == format.rate && other.channels == format.channels
      && other.sample.rank > widest.sample.rank
    {
      widest.sample = other.sample
    }
    return widest
  }
}
