/// What a device was asked for and what it gave.
public struct SinkFormat: Equatable, Sendable {
  /// Its name.
  public var device: String
  /// Frames per second.
  public var rate: Int
  /// Samples in a frame.
  public var channels: Int
  /// The frames that it holds.
  public var buffer: Int
  /// So many frames it may take at a time: with fewer queued it can run dry.
  public var margin: Int
  /// Its room is told in steps of so many frames.
  public var grain: Int

  /// A format.
  public init(device: String, rate: Int, channels: Int, buffer: Int, margin: Int, grain: Int = 0) {
    (self.device, self.rate, self.channels) = (device, rate, channels)
    (self.buffer, self.margin, self.grain) = (buffer, margin, grain)
  }
}

/// What a device is asked for.
public struct SinkRequest: Equatable, Sendable {
  /// Frames per second.
  public var rate: Int
  /// Samples in a frame.
  public var channels: Int
  /// 16 bits are enough.
  public var isNarrow: Bool
  /// The seconds that it is to hold.
  public var seconds: Double

  /// What most programs play, unless said otherwise.
  public init(rate: Int = 48_000, channels: Int = 2, isNarrow: Bool = true, seconds: Double = 0.5) {
    (self.rate, self.channels, self.isNarrow, self.seconds) = (rate, channels, isNarrow, seconds)
  }
}

/// Why a device did not do what it was asked for.
public enum SinkError: Error, Equatable, Sendable {
  /// It has run dry (EPIPE).
  case ranDry
  /// The machine slept, and what was queued is lost (ESTRPIPE).
  case suspended
  /// It is not there, or not any more; what the library says.
  case gone(String)
}

/// Where rendered frames go: a sound device, or what a test puts in its place. Nothing here waits for sound.
public protocol Sink: AnyObject {
  /// What it plays.
  var format: SinkFormat { get }
  /// Frames that it can take now.
  func room() throws(SinkError) -> Int
  /// Frames that were written and are not heard yet. Only while it runs.
  func delay() throws(SinkError) -> Int
  /// Takes interleaved frames; returns how many. With `anew` it has run dry or was stopped and is made ready first.
  func write(_ samples: UnsafeBufferPointer<Float>, anew: Bool) throws(SinkError) -> Int
  /// Begins to play what was written.
  func start() throws(SinkError)
  /// Takes back what was written last and goes on playing; returns how many of so many frames come back. 0 when
  /// it can only be stopped.
  func rewind(_ frames: Int) -> Int
  /// Much of what is not heard does not come back so: it is stopped instead unless others play.
  var rewindsLate: Bool { get }
  /// Is silent at once; what was queued is thrown away. Returns how many of the frames that were written are not
  /// heard: nil when it does not know that better than before. 0 when it had not begun.
  func stop() -> Int?
}

extension Sink {
  /// Nothing comes back.
  public func rewind(_ frames: Int) -> Int { 0 }
  /// It does, as far as it comes back.
  public var rewindsLate: Bool { false }
}

/// Opens a device.
public typealias SinkOpener = (SinkRequest) throws(SinkError) -> any Sink
