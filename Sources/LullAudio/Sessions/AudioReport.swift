/// A report to the daemon about a session (by its number), a program or a device.
package enum AudioReport: Equatable, Sendable {
  /// The session plays or captures.
  case began(UInt64)
  case ended(UInt64)
  case sounding(program: UInt64, of: AudioScope)
  /// `seconds` are the rest of the hangover.
  case quiet(program: UInt64, of: AudioScope, seconds: Double)
  /// The ring runs low or is empty.
  case low(UInt64)
  case filled(UInt64)
  /// Everything up to the drain has been played.
  case drained(UInt64)
  case cut(UInt64, CutReason)
  case streams(program: UInt64, StraightSound)
  /// The device is gone, or cannot be opened for half a second though something is to play.
  case routeGone
  case routeNew(device: String)
}
