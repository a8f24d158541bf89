internal import LullModel
internal import LullRing
internal import LullSystem
internal import LullWire

/// A stream of sound to or from a device, which goes on while the program sleeps.
///
/// The frames stand in a ring of memory that the program shares with `lull-audio`: ``write(_:)`` and
/// ``read(into:)`` copy frames and make no call to another process. Events come inside the application's
/// loop, one by one. The application keeps the session until it is closed.
///
/// A program with the mode `audio` stays awake while its sound is audible. With a deep buffer it sleeps
/// meanwhile: it is woken with reason `refill`, gets ``Event/wantsFrames``, fills the ring and calls
/// ``Application/finishedHandlingWake()``.
///
/// Positions count frames since the session was opened and go on when the daemon is restarted.
public final class AudioSession {
  /// To the device or from it.
  public typealias Direction = AudioDirection

  /// The purpose of the sound.
  public let category: AudioCategory
  /// The behaviour beside other sessions.
  public let options: AudioOptions
  /// To the device or from it.
  public let direction: Direction
  /// The format of the frames.
  public let format: AudioFormat
  /// The frames that the ring holds.
  public var capacity: Int { ring.capacity }

  enum Connection {
    /// The daemon is away; the session is opened again when there is one.
    case away
    case open(SessionID, AudioDoorbell)
    case closed
  }

  let ring: RingClient
  /// Frames: the deep buffer's low-water mark.
  let lowWater: Int?
  /// Seconds that are handed to the device ahead of what is heard.
  let latency: Double?
  let device: AudioDevice
  /// The last change of the device, with the reason.
  public internal(set) var lastRouteChange: AudioRouteChange?
  let handler: (AudioSession, Event) -> Void
  private(set) weak var application: Application?
  var connection = Connection.away
  /// ``askForFrames(when:)`` asked for so many frames, which are still missing.
  var asked: Int?
  var toldState = State.idle
  var toldStarved: UInt32 = 0
  var isCut = false
  /// The session was told to stop, and not to play since.
  var awaitsHalt = false
  private var lastPosition: UInt64 = 0

  /// Opens a session; it is silent until ``play()``.
  ///
  /// - Parameters:
  ///   - application: an application that the daemon supervises.
  ///   - category: the purpose of the sound.
  ///   - options: the behaviour beside other sessions.
  ///   - direction: to the device or from it.
  ///   - format: the format of the frames.
  ///   - buffer: the size of the ring.
  ///   - latency: seconds that are handed to the device ahead of what is heard; nil: 0.04 for
  ///     `playAndRecord`, else 0.5.
  ///   - output: the device to play to or, for a session that captures, to capture from. While that device
  ///     cannot be opened, the session is on the default device.
  ///   - handler: called in the application's loop.
  /// - Throws: `wrongMode`, `limitReached`, `refused`, `timedOut`, `ended`, `system` when there is no memory
  ///   for the ring, or `daemonUnavailable` for a program that supervises itself.
  public init(
    _ application: Application, category: AudioCategory, options: AudioOptions = [],
    direction: Direction = .play, format: AudioFormat, buffer: Buffer = .shallow(seconds: 0.5),
    latency: Double? = nil,
    output: AudioDevice = .default, handler: @escaping (AudioSession, Event) -> Void
  ) throws(LullError) {
    guard application.phase != .ended else { throw .ended }
    let size = try BufferSize(buffer, rate: format.rate)
    if let latency, !(latency > 0 && latency <= BufferSize.longest) {
      throw .refused("a latency of \(latency) s: more than 0 and at most 30 are possible")
    }
    if case .device(let name) = output, !DeviceName.isValid(name) {
      throw .refused("a device \"\(name)\": \(DeviceName.expected)")
    }
    do throws(SystemError) {
      ring = try RingClient(capacity: size.frames, frameBytes: format.frameBytes)
    } catch {
      throw LullError(error)
    }
    (self.category, self.options, self.direction, self.format) = (category, options, direction, format)
    (lowWater, self.latency, device, self.handler) = (size.lowWater, latency, output, handler)
    self.application = application
    try openFirst(application)
  }

  /// The position that is heard now (capture: frames captured), in frames since the session was opened.
  ///
  /// Between two reports of `lull-audio` the position is calculated by the clock, within the frames that the
  /// device has got.
  public var position: UInt64 {
    let (moved, moment) = ring.movement
    var position = moved
    if direction == .play, state == .running, case .open = connection {
      let elapsed = Double(max(0, Clock.boottime() - moment)) / 1e9
      let ahead = ring.taken > moved ? min(ring.taken - moved, UInt64(ring.capacity)) : 0
      position = moved &+ UInt64(min(elapsed * Double(format.rate), Double(ahead)))
    }
    lastPosition = max(lastPosition, position)
    return lastPosition
  }

  /// Play: frames written; capture: frames read.
  public var written: UInt64 { ring.written }

  /// Play: frames that were written and not heard, without those that were dropped.
  public var queuedFrames: Int {
    guard direction == .play else { return 0 }
    let dropped = ring.flushed > ring.moved ? min(ring.flushed - ring.moved, UInt64(ring.queued)) : 0
    return ring.queued - Int(dropped)
  }

  /// Play: frames that ``write(_:)`` takes now. Dropped frames make room once lull-audio has passed over
  /// them.
  public var writableFrames: Int { direction == .play && !isStopping ? ring.room : 0 }

  /// Capture: frames that ``read(into:)`` brings now.
  public var readableFrames: Int { direction == .capture ? ring.readable : 0 }

  /// The state of the sound.
  public var state: State { isCut ? .cut : ring.state }

  /// The program's own volume, 0 to 1. A value beyond is clamped; a value that is no number counts as 0.
  public var gain: Float {
    get { ring.gain }
    set {
      ring.setGain(newValue > 0 ? min(newValue, 1) : 0)
      ringDoorbell()
    }
  }
}

extension AudioSession {
  /// The size of the ring.
  public enum Buffer: Hashable, Sendable {
    /// For a program that is awake while it plays or records; at most 30 s.
    case shallow(seconds: Double)
    /// For a program that sleeps while it plays; at most 30 s. It is woken when less than `lowWater` is left.
    case deep(seconds: Double, lowWater: Double)
  }

  /// The state of the sound.
  public typealias State = SessionState

  /// The events of an audio session.
  public enum Event: Equatable, Sendable {
    /// Play: fewer frames are queued than ``AudioSession/askForFrames(when:)`` named, the ring ran dry, or
    /// the program was woken to refill. Capture: the frames that it named can be read.
    case wantsFrames
    /// The state changed.
    case stateChanged(State)
    /// Another program is heard instead.
    case interruptionBegan
    /// The other program is no longer heard. With `shouldResume` the session is heard again by itself;
    /// without, after the next ``AudioSession/play()``.
    case interruptionEnded(shouldResume: Bool)
    /// The sound goes to (comes from) another device, or, with nil, to no device.
    /// ``AudioSession/lastRouteChange`` has the reason.
    case routeChanged(device: String?)
    /// The session was given up, for this reason, and is closed.
    case failed(LullError)
  }
}

/// In frames.
struct BufferSize {
  static let longest = Double(Bounds.ringSeconds)
  private static let fewest = 64
  let frames: Int
  let lowWater: Int?

  init(_ buffer: AudioSession.Buffer, rate: Int) throws(LullError) {
    switch buffer {
    case .shallow(let seconds):
      frames = try BufferSize.frames(seconds, rate)
      lowWater = nil
    case .deep(let seconds, let low):
      frames = try BufferSize.frames(seconds, rate)
      guard low > 0, low < seconds else {
        throw .refused("a low-water mark of \(low) s: more than 0 and less than \(seconds) are possible")
      }
      lowWater = max(1, Int(low * Double(rate)))
    }
  }

  private static func frames(_ seconds: Double, _ rate: Int) throws(LullError) -> Int {
    guard seconds > 0, seconds <= longest else {
      throw .refused("a buffer of \(seconds) s: more than 0 and at most 30 are possible")
    }
    return max(fewest, Int((seconds * Double(rate)).rounded()))
  }
}
