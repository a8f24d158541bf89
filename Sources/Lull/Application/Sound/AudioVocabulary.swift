// The words for frames that the library shares with the rest of Lull: one definition, seen from here.
@_exported public import enum LullModel.AudioCategory
@_exported public import enum LullModel.AudioDirection
@_exported public import struct LullModel.FrameFormat
@_exported public import enum LullModel.RouteReason
@_exported public import enum LullModel.SampleFormat
@_exported public import enum LullModel.SessionState

/// The format of a session's frames: rate, channels and the form of a sample in memory.
public typealias AudioFormat = FrameFormat

/// The behaviour of an audio session beside other sessions.
public struct AudioOptions: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt8
  /// The options with these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The session is heard together with others; a call makes it quieter and does not interrupt it.
  public static let mixWithOthers = AudioOptions(rawValue: 1)
  /// The session makes the others quieter while it plays.
  public static let duckOthers = AudioOptions(rawValue: 2)
  /// Speech with long pauses: the hangover after the last audible tenth is 30 s instead of 10 s.
  public static let spokenContent = AudioOptions(rawValue: 4)
}
