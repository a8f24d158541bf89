struct Playback: Sendable {
  enum Focus: Sendable {
    case none
    /// A later beginning has a larger number.
    case wants(UInt64)
    /// Music of another program took its place; the session wants nothing until it is started anew.
    case dismissed
  }

  enum Need: Sendable {
    case none
    /// The program was awake when the buffer ran low.
    case unheeded
    case woken
  }

  enum FocusLoss: Equatable, Sendable {
    case none
    /// The session may not be heard in the background.
    case background
    case call
    case music
    /// The other program's music has ended; the session waits to be started anew.
    case dismissal
  }

  let id: SessionID
  let session: SessionTraits
  var focus = Focus.none
  var need = Need.none
  var order = AudioOrder.play
  var isInterrupted = false
  var notice: Interruption?
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
