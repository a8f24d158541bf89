/// A report to the daemon about a session, a program or a device.
package enum AudioReport: Equatable, Sendable {
  /// A session plays (captures).
  case began(UInt64)
  /// A session does not play (capture) any more.
  case ended(UInt64)
  /// A program can be heard: its lease is held.
  case sounding(program: UInt64, of: AudioScope)
  /// A program can no longer be heard; the rest of the hangover in seconds.
  case quiet(program: UInt64, of: AudioScope, seconds: Double)
  /// The ring of a session runs low or is empty.
  case low(UInt64)
  case filled(UInt64)
  /// Everything up to a session's drain has been played.
  case drained(UInt64)
  case cut(UInt64, CutReason)
  /// What a program plays straight to its sound server has changed.
  case streams(program: UInt64, StraightSound)
  /// The device is gone, or cannot be opened for half a second though something is to play.
  case routeGone
  /// A device plays again.
  case routeNew(device: String)
}
