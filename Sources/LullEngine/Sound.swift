/// What a session of sound is for (`AVAudioSessionCategory`). Raw values are the protocol's words.
public enum AudioCategory: String, CaseIterable, Sendable {
  /// Sound that may be missing; heard together with others, silent in the background.
  case ambient
  /// The same, but heard alone.
  case soloAmbient
  /// Music: goes on in the background.
  case playback
  /// Recording: goes on in the background.
  case record
  /// Both at once: a call, when the program does VoIP.
  case playAndRecord

  /// Whether sound of this category goes on in the background.
  var survivesBackground: Bool {
    switch self {
    case .ambient, .soloAmbient: false
    case .playback, .record, .playAndRecord: true
    }
  }
}

/// Where the frames of a session go.
public enum AudioDirection: String, CaseIterable, Sendable {
  case play, capture
}

/// What a program says of a session when it opens it.
public struct SoundSession: Equatable, Sendable {
  /// What it is for.
  public var category: AudioCategory
  /// Where its frames go.
  public var direction: AudioDirection
  /// It is heard together with others.
  public var mixesWithOthers = false
  /// It makes the others quieter while it plays.
  public var ducksOthers = false
  /// Speech with long pauses.
  public var isSpoken = false
  /// Its program fills the buffer and sleeps while it is heard.
  public var isDeep = false

  /// A session of this category and direction, heard alone.
  public init(category: AudioCategory, direction: AudioDirection = .play) {
    self.category = category
    self.direction = direction
  }

  /// It captures what the user is told of.
  var records: Bool { direction == .capture && (category == .record || category == .playAndRecord) }

  /// Whether it can be heard beside a session that wants to be heard alone.
  var mixes: Bool { mixesWithOthers || ducksOthers || category == .ambient || direction == .capture }
}

/// What whoever plays the sessions says of one.
public enum SoundReport: Equatable, Sendable {
  /// It plays or captures, or would if it were not held.
  case began
  /// It was stopped or paused, has been heard to its end, or has had nothing to play for a while.
  case ended
  /// Its deep buffer runs low, or is empty.
  case low
  /// Its deep buffer does not run low any more.
  case filled
  /// It has been heard to the end that its program set, and waits for.
  case drained
  /// The device is there again; what waited for it plays on.
  case resumed
}

/// How a session is to be heard. Raw values are the protocol's words.
public enum SoundOrder: String, CaseIterable, Sendable {
  case play
  /// Quieter than others.
  case duck
  /// Not at all; its frames wait.
  case hold
}

/// What a program is told when another one is heard instead (`AVAudioSessionInterruptionNotification`).
public enum Interruption: Equatable, Sendable {
  case began
  /// `shouldResume`: its sound goes on by itself; else when the program starts it anew.
  case ended(shouldResume: Bool)
}
