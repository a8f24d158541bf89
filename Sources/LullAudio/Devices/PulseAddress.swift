struct PulseAddress: Equatable, CustomStringConvertible {
  static let prefix = "pulse:"
  /// Nil for the server that the environment and PulseAudio's own configuration name.
  var server: String?
  /// A sink or a source; nil for the one that the user has chosen.
  var device: String?

  var description: String { Self.prefix + (device ?? "") }
}

struct PulseFormat {
  var rate: Int
  var channels: Int
  var sample: SampleFormat

  init(_ request: SinkRequest) {
    (rate, channels, sample) = (request.rate, request.channels, request.isNarrow ? .s16 : .f32)
  }

  var frameBytes: Int { channels * (sample == .s16 ? 2 : 4) }
}

/// The buffer that a stream asks for, in frames.
struct PulseBuffer {
  /// The whole buffer, with the frames that the device takes ahead.
  var length: Int
  /// The frames that the server asks for at a time.
  var step: Int

  init(length: Int, step: Int) { (self.length, self.step) = (length, step) }

  /// The server gives the device half of the length that remains after two steps. This half is to be a
  /// quarter of the request, so that the server wakes about as often as for the ALSA plugin. A long request
  /// gets the quarter on top of its own length.
  init(playing request: SinkRequest) {
    let frames = Int(request.seconds * Double(request.rate))
    let isLong = request.seconds > 0.2
    self.init(length: isLong ? frames * 5 / 4 : frames, step: isLong ? frames * 3 / 8 : frames / 4)
  }
}
