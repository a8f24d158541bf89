/// A session of sound as the engine follows it.
struct Playback: Sendable {
  /// Whether it is heard.
  enum Sound: Sendable {
    case silent
    case audible
    /// Silent by now; the hangover ends then.
    case fading(ends: Moment)
  }

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
  var sound = Sound.silent
  /// When it was heard last, or began.
  var lastHeard: Moment
  var claim = Claim.none
  var need = Need.none
  var order = SoundOrder.play
  /// Another one is heard instead.
  var isInterrupted = false
  /// It was heard when it was interrupted.
  var wasHeard = false
  /// What its program is to be told when it is awake.
  var notice: Interruption?
  /// The last that its program was told is that the interruption began.
  var knowsInterruption = false

  init(id: SessionID, session: SoundSession, now: Moment) {
    self.id = id
    self.session = session
    lastHeard = now
  }

  var isRunning: Bool { if case .wants = claim { true } else { false } }

  /// True while it was said to be heard, without the hangover.
  var isHeard: Bool { if case .audible = sound { true } else { false } }

  /// True from the beginning of the sound to the end of its hangover; a report can come before the tick that ends it.
  func isAudible(at now: Moment) -> Bool { isHeard || fadeEnds.map { $0 > now } ?? false }

  /// When the hangover ends; nil while it is heard, and when it is silent.
  var fadeEnds: Moment? { if case .fading(let ends) = sound { ends } else { nil } }
}
