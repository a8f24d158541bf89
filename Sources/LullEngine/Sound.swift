extension AudioCategory {
  var survivesBackground: Bool {
    switch self {
    case .ambient, .soloAmbient: false
    case .playback, .record, .playAndRecord: true
    }
  }
}

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

  /// True for a capture of which the user is told.
  var records: Bool { direction == .capture && (category == .record || category == .playAndRecord) }

  /// True when the session can be heard beside a session that wants to be heard alone.
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
