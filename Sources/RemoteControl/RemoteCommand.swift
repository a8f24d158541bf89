// A program that only imports RemoteControl speaks of this error.
@_exported public import struct LullBus.BusError

/// A request of a media key, a desktop or `playerctl` (`MPRemoteCommandCenter`).
public enum RemoteCommand: Equatable, Sendable {
  case play, pause, toggle, stop, next, previous
  /// Go to a second of the track that is heard; not negative.
  case seek(Double)
  /// Move by some seconds; negative: back.
  case skip(Double)
  /// Set the volume, 0 to 1.
  case setVolume(Double)
  case setRepeatMode(NowPlaying.RepeatMode)
  case setShuffle(Bool)
  /// Play the sound of this URL.
  case open(url: String)
  /// Show the program's window.
  case raise
  /// End the program.
  case quit
}

/// The reason why a request was not carried out; the client is told.
public struct RemoteRefusal: Error, Equatable {
  /// The reason in one text line.
  public let reason: String

  /// A refusal.
  public init(_ reason: String) { self.reason = reason }
}

/// The identity of a program for those that control it. It never changes.
public struct RemoteIdentity: Equatable, Sendable {
  /// The end of the bus name, `org.mpris.MediaPlayer2.NAME`: letters, digits, `_` and `-`.
  public var name: String
  /// The title for people.
  public var title: String
  /// The name of its `.desktop` file without the ending.
  public var desktopEntry: String?
  /// The schemes of URLs that ``RemoteCommand/open(url:)`` takes, and the MIME types of their sounds.
  public var schemes, types: [String]
  /// True when the program obeys ``RemoteCommand/quit`` or ``RemoteCommand/raise``.
  public var canQuit, canRaise: Bool

  /// An identity.
  public init(
    name: String, title: String, desktopEntry: String? = nil, schemes: [String] = [], types: [String] = [],
    canQuit: Bool = false, canRaise: Bool = false
  ) {
    (self.name, self.title, self.desktopEntry) = (name, title, desktopEntry)
    (self.schemes, self.types) = (schemes, types)
    (self.canQuit, self.canRaise) = (canQuit, canRaise)
  }
}
