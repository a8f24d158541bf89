/// What a media key, a desktop or `playerctl` asks for (`MPRemoteCommandCenter`).
public enum RemoteCommand: Equatable, Sendable {
  case play, pause, toggle, stop, next, previous
  /// Go to so many seconds of the track, which is the one that is heard; not negative.
  case seek(Double)
  /// Move by so many seconds; negative: back.
  case skip(Double)
  /// 0 to 1.
  case setVolume(Double)
  case setRepeatMode(NowPlaying.RepeatMode)
  case setShuffle(Bool)
  /// Play what this URL names.
  case open(url: String)
  /// Show the program's window.
  case raise
  /// End the program.
  case quit
}

/// Why a command was not carried out: whoever asked is told.
public struct RemoteRefusal: Error, Equatable {
  /// One line.
  public let reason: String

  /// A refusal.
  public init(_ reason: String) { self.reason = reason }
}

/// What a program is, for whoever controls it. It stays the same.
public struct RemoteIdentity: Equatable, Sendable {
  /// The end of the bus name, `org.mpris.MediaPlayer2.NAME`: letters, digits, `_` and `-`.
  public var name: String
  /// For people.
  public var title: String
  /// The name of its `.desktop` file without the ending.
  public var desktopEntry: String?
  /// The schemes of URLs that ``RemoteCommand/open(url:)`` takes.
  public var schemes: [String]
  /// The MIME types of what it takes.
  public var types: [String]
  /// Whether it obeys ``RemoteCommand/quit``.
  public var canQuit: Bool
  /// Whether it obeys ``RemoteCommand/raise``.
  public var canRaise: Bool

  /// A program.
  public init(
    name: String, title: String, desktopEntry: String? = nil, schemes: [String] = [], types: [String] = [],
    canQuit: Bool = false, canRaise: Bool = false
  ) {
    (self.name, self.title, self.desktopEntry) = (name, title, desktopEntry)
    (self.schemes, self.types) = (schemes, types)
    (self.canQuit, self.canRaise) = (canQuit, canRaise)
  }
}
