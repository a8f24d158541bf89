/// The device grants it, as near to the ``SinkRequest`` as it can.
package struct SinkFormat: Equatable, Sendable {
  package var device: String
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

package struct SinkRequest: Equatable, Sendable {
  package var rate: Int
  package var channels: Int
  /// Samples of 16 bits are enough.
  package var isNarrow: Bool
  /// The seconds of sound that the device is to hold.
  package var seconds: Double

  /// The defaults are the format that most programs play.
  package init(rate: Int = 48_000, channels: Int = 2, isNarrow: Bool = true, seconds: Double = 0.5) {
    (self.rate, self.channels, self.isNarrow, self.seconds) = (rate, channels, isNarrow, seconds)
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

/// A device that plays. No call waits for sound.
package protocol Sink: AnyObject {
  var format: SinkFormat { get }
  func room() throws(SinkError) -> Int
  /// The frames written and not played yet. Valid only while the device runs.
  func delay() throws(SinkError) -> Int
  /// Takes interleaved frames and returns their number. With `anew` the device, which ran dry or was stopped,
  /// is made ready first.
  func write(_ samples: UnsafeBufferPointer<Float>, anew: Bool) throws(SinkError) -> Int
  func start() throws(SinkError)
  /// Has the running device play to the last written frame, because no other follows for now.
  func finish() throws(SinkError)
  /// Takes back at most `frames` of the frames written last, plays on and returns their number; 0 when the
  /// device can only be stopped.
  func rewind(_ frames: Int) -> Int
  /// Many unplayed frames do not come back by `rewind`: the device is stopped instead, unless other sessions
  /// play.
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

package protocol AudioSource: AnyObject {
  var format: SinkFormat { get }
  /// Makes the device ready after it was opened or has run over.
  func prepare() throws(SinkError)
  func start() throws(SinkError)
  /// Reads the waiting frames, interleaved, at most `frames`, and returns their number.
  func read(into samples: UnsafeMutablePointer<Float>, frames: Int) throws(SinkError) -> Int
  /// Tells the device for whom it captures: a desktop shows that beside its microphone.
  func name(_ programs: String)
}

extension AudioSource {
  package func name(_ programs: String) {}
}
