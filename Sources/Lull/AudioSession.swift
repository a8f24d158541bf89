internal import LullEngine
internal import LullSystem
internal import LullWire

/// A stream of sound to or from the machine's device, which goes on while the program sleeps.
///
/// The frames stand in a ring of memory that the program shares with `lull-audio`: ``write(_:)`` and ``read(into:)``
/// copy and call nobody. Events come inside the application's loop, one by one. The application keeps the session
/// until it is closed.
///
/// A program with the mode `audio` stays awake while what it plays can be heard. With a deep buffer it sleeps
/// meanwhile: it is woken with reason `refill`, gets ``Event/wantsFrames``, fills the ring and calls
/// ``Application/finishedHandlingWake()``.
///
/// Positions count frames since the session was opened and go on when the daemon is restarted.
public final class AudioSession {
  /// Where the frames go.
  public enum Direction: String, CaseIterable, Sendable {
    case play
    case capture
  }

  /// How much the ring holds.
  public enum Buffer: Hashable, Sendable {
    /// For a program that is awake while it plays or records; at most 30 s.
    case shallow(seconds: Double)
    /// For a program that sleeps while it plays; at most 30 s. It is woken when less than `lowWater` is left.
    case deep(seconds: Double, lowWater: Double)
  }

  /// What becomes of the sound.
  public enum State: Hashable, Sendable {
    /// Stopped; the state of a new session.
    case idle
    /// It plays (records).
    case running
    /// Paused, at the frame that was heard last.
    case paused
    /// It is to play and has nothing to play.
    case starved
    /// Another program is heard instead, or the program has no sound in the background.
    case held
    /// Everything up to the ``AudioSession/drain()`` has been heard.
    case drained
    /// Given up; the session is closed.
    case cut
  }

  /// What happens to a session.
  public enum Event: Equatable, Sendable {
    /// Play: fewer frames are queued than ``AudioSession/askForFrames(when:)`` named, the ring ran dry, or the program
    /// was woken to refill. Capture: so many frames can be read.
    case wantsFrames
    /// The state changed.
    case stateChanged(State)
    /// Another program is heard instead.
    case interruptionBegan
    /// The other program is no longer heard. With `shouldResume` the session is heard again by itself, without it after
    /// the next ``AudioSession/play()``.
    case interruptionEnded(shouldResume: Bool)
    /// The sound goes to (comes from) another device; nil: there is none. ``AudioSession/lastRouteChange`` tells
    /// why.
    case routeChanged(device: String?)
    /// Given up, for the reason named; the session is closed.
    case failed(LullError)
  }

  /// What it is for.
  public let category: AudioCategory
  /// How it behaves beside others.
  public let options: AudioOptions
  /// Where the frames go.
  public let direction: Direction
  /// Its frames.
  public let format: AudioFormat
  /// The frames that the ring holds.
  public var capacity: Int { ring.capacity }

  /// How the session stands with the daemon.
  enum Connection {
    /// The daemon is away; the session is opened again when there is one.
    case away
    case open(SessionID, AudioBell)
    case closed
  }

  let ring: RingClient
  /// Frames: the deep buffer's low-water mark.
  let lowWater: Int?
  /// Seconds that are handed to the device ahead of what is heard.
  let latency: Double?
  /// The device that it asks for.
  let device: AudioDevice
  /// What became of its device last, with the reason; nil: nothing yet.
  public internal(set) var lastRouteChange: AudioRouteChange?
  let handler: (AudioSession, Event) -> Void
  private(set) weak var application: Application?
  var connection = Connection.away
  /// What ``askForFrames(when:)`` asked for and has not got.
  var asked: Int?
  /// What the handler was told last.
  var toldState = State.idle
  var toldStarved: UInt32 = 0
  var isCut = false
  /// It was told to stop and not to go on since.
  var awaitsHalt = false
  private var lastPosition: UInt64 = 0

  /// Opens a session; it is silent until ``play()``.
  ///
  /// - Parameters:
  ///   - application: one that the daemon supervises.
  ///   - category: what it is for.
  ///   - options: how it behaves beside others.
  ///   - direction: where the frames go.
  ///   - format: its frames.
  ///   - buffer: how much the ring holds.
  ///   - latency: seconds that are handed to the device ahead of what is heard; nil: 0.04 for `playAndRecord`, else 0.5.
  ///   - output: the device that it plays to, or, for a session that captures, the one that it captures from.
  ///     While that cannot be opened it is on the usual device.
  ///   - handler: called in the application's loop.
  /// - Throws: `wrongMode`, `limitReached`, `refused`, `timedOut`, `ended`, `system` when there is no memory for the ring,
  ///   or `daemonUnavailable` for a program that supervises itself.
  public init(
    _ application: Application, category: AudioCategory, options: AudioOptions = [],
    direction: Direction = .play,
    format: AudioFormat, buffer: Buffer = .shallow(seconds: 0.5), latency: Double? = nil,
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
  /// Between two reports of `lull-audio` it is reckoned by the clock, within what the device has got.
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

  /// Play: frames that ``write(_:)`` takes now. What was dropped makes room at the frame that is heard.
  public var writableFrames: Int { direction == .play && !isStopping ? ring.room : 0 }

  /// Capture: frames that ``read(into:)`` brings now.
  public var readableFrames: Int { direction == .capture ? ring.readable : 0 }

  /// What becomes of the sound.
  public var state: State { isCut ? .cut : State(ring.state) }

  /// The program's own volume, 0 to 1; what is beyond counts as the nearest of the two, what is no number as 0.
  public var gain: Float {
    get { ring.gain }
    set {
      ring.setGain(newValue > 0 ? min(newValue, 1) : 0)
      ringBell()
    }
  }
}

extension AudioSession.State {
  init(_ state: RingState) {
    self =
      switch state {
      case .idle: .idle
      case .running: .running
      case .paused: .paused
      case .starved: .starved
      case .held: .held
      case .drained: .drained
      case .cut: .cut
      }
  }
}
