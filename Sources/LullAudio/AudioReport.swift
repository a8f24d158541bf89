/// What the daemon has to know of sessions and programs.
public enum AudioReport: Equatable, Sendable {
  /// A session plays (captures).
  case began(UInt64)
  /// It does not any more.
  case ended(UInt64)
  /// A program can be heard.
  case sounding(program: UInt64, of: AudioScope)
  /// It can no longer be heard; the rest of the hangover in seconds.
  case quiet(program: UInt64, of: AudioScope, seconds: Double)
  /// Little is left in its ring, or nothing.
  case low(UInt64)
  /// No longer so.
  case filled(UInt64)
  /// Everything up to its drain has been heard.
  case drained(UInt64)
  /// It was given up.
  case cut(UInt64, CutReason)
  /// The device is gone.
  case routeGone
  /// Sound goes to a device again.
  case routeNew(device: String)
}

/// Which sessions of a program are heard; raw values are the words of the messages.
public enum AudioScope: String, Sendable {
  /// Those without a deep buffer.
  case live
  /// Their sum.
  case all
}

/// Why a session was given up; raw values are the words of the messages.
public enum CutReason: String, Sendable {
  case badPosition = "bad-position"
  case noDevice = "no-device"
  case badFormat = "bad-format"
}
