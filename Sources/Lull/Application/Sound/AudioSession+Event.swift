internal import LullWire

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
    /// The sound goes to (comes from) another device; nil: there is none. ``AudioSession/lastRouteChange``
    /// has the reason.
    case routeChanged(device: String?)
    /// The session was given up, for this reason, and is closed.
    case failed(LullError)
  }
}
