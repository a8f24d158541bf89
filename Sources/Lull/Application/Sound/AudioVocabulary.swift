internal import LullWire

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

/// The device of an audio session.
public enum AudioDevice: Hashable, Sendable {
  /// The default device.
  case `default`
  /// A device by its name in ALSA's configuration, for example `hw:1`; `lull sound devices` lists them.
  case device(String)

  var name: String? { if case .device(let name) = self { name } else { nil } }
}

/// The change of an audio session to another device, or to none (Audio Session Programming Guide, "Responding
/// to Route Changes").
public struct AudioRouteChange: Hashable, Sendable {
  /// The reason.
  public typealias Reason = RouteReason

  /// The new device; nil: the session has no device.
  public internal(set) var device: String?
  /// The previous device, where it is known.
  public internal(set) var previous: String?
  /// The reason.
  public internal(set) var reason: Reason
}

extension AudioRouteChange {
  init(_ notice: RouteNotice) {
    let isNew = notice.change == .new
    device = isNew ? notice.device ?? DeviceName.usual : nil
    previous = notice.old
    reason = notice.reason ?? (isNew ? .newDeviceAvailable : .oldDeviceUnavailable)
  }
}
