/// The declaration of an audio session.
public struct SessionTraits: Equatable, Sendable {
  /// The purpose of the session.
  public var category: AudioCategory
  /// The direction of its frames.
  public var direction: AudioDirection
  /// True when the session is heard together with others.
  public var mixesWithOthers = false
  /// True when the session makes the others quieter while it plays.
  public var ducksOthers = false
  /// True for speech with long pauses.
  public var isSpoken = false
  /// True when the program fills a deep buffer and sleeps while it plays.
  public var isDeep = false

  /// A session of this category and direction, heard alone.
  public init(category: AudioCategory, direction: AudioDirection = .play) {
    self.category = category
    self.direction = direction
  }

  /// Of such a capture the user is told.
  var records: Bool { direction == .capture && (category == .record || category == .playAndRecord) }

  /// Whether the session can be heard beside one that wants to be heard alone.
  var mixes: Bool { mixesWithOthers || ducksOthers || category == .ambient || direction == .capture }
}

/// A report of lull-audio about a session.
public enum SessionReport: Equatable, Sendable {
  /// The session plays or captures, or would if it were not held.
  case began
  /// The session was stopped or paused, has been played to its end, or has had nothing to play for a while.
  case ended
  /// The deep buffer of the session runs low, or is empty.
  case low
  /// The deep buffer of the session does not run low any more.
  case filled
  /// The session has been played to the end that its program set, and the program waits for that.
  case drained
  /// The device is there again; a session that waited for it plays on.
  case resumed
  /// The session was given up; its program finds the error when it runs.
  case cut
}

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

  /// The session has begun, and goes on while another one is heard instead.
  var hasBegun: Bool { if case .none = focus { false } else { true } }

  /// A live session falls silent when its program sleeps.
  var isLive: Bool { session.direction == .play && !session.isDeep }
}
