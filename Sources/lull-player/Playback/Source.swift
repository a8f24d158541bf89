import Lull

/// An item that is being decoded.
final class Source {
  let item: ItemID
  let decoder: Decoder
  /// Whether any frame came from it.
  var hasFrames = false

  init(_ item: ItemID, _ decoder: Decoder) {
    self.item = item
    self.decoder = decoder
  }

  /// Whether an output takes its frames without loss and without a gap.
  func fits(_ format: FrameFormat) -> Bool {
    let own = decoder.description.format
    return own.rate == format.rate && own.channels == format.channels && own.sample.rank <= format.sample.rank
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
  /// The format of a session that starts with `format`: its samples hold those of all items of the same rate and channels,
  /// so that going from one to the next leaves no gap.
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
