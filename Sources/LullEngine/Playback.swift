/// A session of sound as the engine follows it.
struct Playback: Sendable {
  /// Whether it wants to be heard.
  enum Claim: Sendable {
    case none
    /// It began as the so-manieth.
    case wants(UInt64)
    /// Another program's music took its place; it wants nothing until it is started anew.
    case dismissed
  }

  /// Whether its deep buffer waits to be filled.
  enum Need: Sendable {
    case none
    /// Its program was awake when the buffer ran low.
    case unheeded
    /// Its program has been woken for it.
    case woken
  }

  /// What keeps it from being heard.
  enum Obstacle: Equatable, Sendable {
    case none
    /// It may not be heard in the background.
    case background
    /// A call.
    case call
    /// Music of another program.
    case music
    /// That music has ended; it waits to be started anew.
    case dismissal
  }

  let id: SessionID
  let session: SoundSession
  var claim = Claim.none
  var need = Need.none
  var order = SoundOrder.play
  /// Another one is heard instead.
  var isInterrupted = false
  /// What its program is to be told when it is awake.
  var notice: Interruption?
  /// The last that its program was told is that the interruption began.
  var knowsInterruption = false

  init(id: SessionID, session: SoundSession) {
    self.id = id
    self.session = session
  }

  var isRunning: Bool { if case .wants = claim { true } else { false } }

  /// It began and has not ended, whether it is heard or another one.
  var hasBegun: Bool { if case .none = claim { false } else { true } }

  /// It falls silent when its program sleeps.
  var isLive: Bool { session.direction == .play && !session.isDeep }
}
