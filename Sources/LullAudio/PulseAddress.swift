internal import LullSystem

/// Where a PulseAudio device is.
struct PulseAddress: Equatable, CustomStringConvertible {
  /// How the names of such devices begin.
  static let prefix = "pulse:"
  /// Nil: the server that the environment and PulseAudio's own configuration name.
  var server: String?
  /// A sink or a source; nil: the one that the user has chosen.
  var device: String?

  var description: String { Self.prefix + (device ?? "") }
}

/// What frames look like there.
struct PulseFormat {
  var rate: Int
  var channels: Int
  var sample: SampleFormat

  init(_ request: SinkRequest) {
    (rate, channels, sample) = (request.rate, request.channels, request.isNarrow ? .s16 : .f32)
  }

  var frameBytes: Int { channels * (sample == .s16 ? 2 : 4) }
}

/// What a stream is to hold, in frames.
struct PulseBuffer {
  /// All in all, with what the device takes ahead.
  var length: Int
  /// What the server asks for at a time.
  var step: Int

  init(length: Int, step: Int) { (self.length, self.step) = (length, step) }

  /// The server gives the device half of what is left of the length after two steps; it is to be a quarter of
  /// the request, so that the server wakes about as often as for the ALSA plugin. A long request does not
  /// count it.
  init(playing request: SinkRequest) {
    let frames = Int(request.seconds * Double(request.rate))
    let isLong = request.seconds > 0.2
    self.init(length: isLong ? frames * 5 / 4 : frames, step: isLong ? frames * 3 / 8 : frames / 4)
  }
}
