/// An audio session as the engine follows it.
struct Playback: Sendable {
  /// The wish of the session for the audio focus.
  enum Focus: Sendable {
    case none
    /// The session wants the focus since this number; a later beginning has a larger number.
    case wants(UInt64)
    /// Music of another program took its place; the session wants nothing until it is started anew.
    case dismissed
  }

  /// The state of a deep buffer that runs low.
  enum Need: Sendable {
    case none
    /// The program was awake when the buffer ran low.
    case unheeded
    /// The program has been woken to fill the buffer.
    case woken
  }

  /// The cause that keeps a session from the audio focus.
  enum FocusLoss: Equatable, Sendable {
    case none
    /// The session may not be heard in the background.
    case background
    /// A call of another program.
    case call
    /// Music of another program.
    case music
    /// That music has ended; the session waits to be started anew.
    case dismissal
  }

  let id: SessionID
  let session: SessionTraits
  var focus = Focus.none
  var need = Need.none
  var order = AudioOrder.play
  /// True while another session is heard instead.
  var isInterrupted = false
  /// The news for the program when it is awake.
  var notice: Interruption?
  /// True when the last news to the program was that the interruption began.
  var knowsInterruption = false

  init(id: SessionID, session: SessionTraits) {
    self.id = id
    self.session = session
  }

  var isRunning: Bool { if case .wants = focus { true } else { false } }

  /// True from the beginning of the session to its end, also while another session is heard instead.
  var hasBegun: Bool { if case .none = focus { false } else { true } }

  /// True for a session that falls silent when its program sleeps.
  var isLive: Bool { session.direction == .play && !session.isDeep }
}
