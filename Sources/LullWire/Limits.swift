/// The bounds of the control protocol and of the line protocol of the phone.
package enum Limits {
  /// The longest text line of the control protocol in bytes, with its LF.
  package static let maximumLine = 4096
  /// The longest text line between lulld and lull-guard in bytes, with its LF: a program's whole description.
  package static let maximumGuardLine = 65_536
  package static let maximumFields = 32
  /// The longest verb or key in bytes.
  package static let maximumWord = 32
  /// The longest name of a program in bytes.
  package static let maximumName = 64
  /// The longest name of a sound device in bytes.
  package static let maximumDevice = 128
  /// The longest link in bytes.
  package static let maximumURL = 2048
  /// The longest state of a line, in bytes.
  package static let maximumLineState = 4096
  /// The lines of one program that are kept when it ends: so many descriptors are passed to its next start.
  package static let maximumKeptLines = 48
  package static let maximumSchemes = 16
  /// The longest text line of the ping, pong, notify protocol in bytes, with its LF.
  package static let maximumTextLine = 65_536
}
