// The words for frames that the library shares with the rest of Lull: one definition, seen from here.
@_exported public import struct LullSystem.FrameFormat
@_exported public import enum LullSystem.SampleFormat

/// The frames of a session: rate, channels and how a sample stands in memory.
public typealias AudioFormat = FrameFormat

/// How a sample stands in memory, little-endian.
public typealias AudioSample = SampleFormat

/// What a session of sound is for (Audio Session Programming Guide, "Categories").
public enum AudioCategory: String, CaseIterable, Sendable {
  /// Sound that the program can do without; mixes with others, silent in the background.
  case ambient
  /// The same, but others are silent meanwhile.
  case soloAmbient
  /// Sound that is the program's purpose, such as music; goes on in the background with the mode `audio`.
  case playback
  /// Recording; goes on in the background with the mode `audio`.
  case record
  /// Both, as in a call; goes on in the background with the mode `audio` or `voip`.
  case playAndRecord
}

/// How a session behaves beside others.
public struct AudioOptions: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt8
  /// The options with these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// It is heard together with others; a call makes it quieter and does not interrupt it.
  public static let mixWithOthers = AudioOptions(rawValue: 1)
  /// It makes the others quieter while it plays.
  public static let duckOthers = AudioOptions(rawValue: 2)
  /// Speech with long pauses: it is taken for audible 30 s after its last sound instead of 10 s.
  public static let spokenContent = AudioOptions(rawValue: 4)
}
