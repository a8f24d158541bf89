/// The bounds of the control protocol and of the line protocol of the phone, in bytes where it is a length.
package enum Limits {
  /// A text line of the control protocol, with its LF.
  package static let maximumLine = 4096
  /// A text line between lulld and lull-guard, with its LF: a program's whole description.
  package static let maximumGuardLine = 65_536
  package static let maximumFields = 32
  /// A verb or a key.
  package static let maximumWord = 32
  package static let maximumName = 64
  package static let maximumDevice = 128
  package static let maximumURL = 2048
  /// The payload of a push.
  package static let maximumPayload = 4096
  package static let maximumLineState = 4096
  /// The lines of one program that are kept when it ends: so many descriptors are passed to its next start.
  package static let maximumKeptLines = 48
  package static let maximumSchemes = 16
  /// The choices of accessories by one program.
  package static let maximumAccessories = 16
  /// The ranges of peers that a program ignores, and the probes that are answered for it.
  package static let maximumPeers = 16
  /// A text line of the ping, pong, notify protocol, with its LF.
  package static let maximumTextLine = 65_536
}
