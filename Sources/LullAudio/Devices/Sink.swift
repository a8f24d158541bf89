/// The format that a device granted.
package struct SinkFormat: Equatable, Sendable {
  package var device: String
  /// Frames per second.
  package var rate: Int
  package var channels: Int
  /// The frames that the device holds.
  package var buffer: Int
  /// The most frames that the device takes at a time: with fewer queued it can run dry.
  package var margin: Int
  /// The step in frames in which the device tells its room; 0 for none.
  package var grain: Int

  package init(device: String, rate: Int, channels: Int, buffer: Int, margin: Int, grain: Int = 0) {
    (self.device, self.rate, self.channels) = (device, rate, channels)
    (self.buffer, self.margin, self.grain) = (buffer, margin, grain)
  }
}

/// The format that a device is asked for.
package struct SinkRequest: Equatable, Sendable {
  package var rate: Int
  package var channels: Int
  /// True when samples of 16 bits are enough.
  package var isNarrow: Bool
  /// The seconds of sound that the device is to hold.
  package var seconds: Double

  /// The defaults are the format that most programs play.
  package init(rate: Int = 48_000, channels: Int = 2, isNarrow: Bool = true, seconds: Double = 0.5) {
    (self.rate, self.channels, self.isNarrow, self.seconds) = (rate, channels, isNarrow, seconds)
  }

  package init(playing format: FrameFormat?, seconds: Double) {
    self.init(
      rate: format?.rate ?? 48_000, channels: 2, isNarrow: format.map { $0.sample.bytes <= 2 } ?? true,
      seconds: seconds)
  }
}

package enum SinkError: Error, Equatable, Sendable {
  /// The device has run dry (EPIPE).
  case ranDry
  /// The machine slept, and the queued frames are lost (ESTRPIPE).
  case suspended
  /// The device is missing or has gone; the text is the library's.
  case gone(String)
}

/// The device that plays rendered frames, or a test's stand-in. No call waits for sound.
package protocol Sink: AnyObject {
  var format: SinkFormat { get }
  /// The frames that the device can take now.
  func room() throws(SinkError) -> Int
  /// The frames written and not played yet. Valid only while the device runs.
  func delay() throws(SinkError) -> Int
  /// Takes interleaved frames; returns the number of frames taken. With `anew` the device, which ran dry or
  /// was stopped, is made ready first.
  func write(_ samples: UnsafeBufferPointer<Float>, anew: Bool) throws(SinkError) -> Int
  func start() throws(SinkError)
  /// Has the running device play to the last written frame, because no other follows for now.
  func finish() throws(SinkError)
  /// Takes back at most `frames` of the frames written last and plays on; returns the number of frames taken
  /// back, 0 when the device can only be stopped.
  func rewind(_ frames: Int) -> Int
  /// True when many unplayed frames do not come back by `rewind`: the device is stopped instead, unless other
  /// sessions play.
  var rewindsLate: Bool { get }
  /// Silences the device at once and throws the queued frames away. Returns the number of written frames that
  /// were not played: nil when the device cannot tell, 0 when it had not begun.
  func stop() -> Int?
}

extension Sink {
  /// The default: the device plays to the last frame by itself.
  package func finish() throws(SinkError) {}
  package func rewind(_ frames: Int) -> Int { 0 }
  package var rewindsLate: Bool { false }
}

package typealias SinkOpener = (SinkRequest) throws(SinkError) -> any Sink
