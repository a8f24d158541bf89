internal import CLinux
internal import Glibc

package struct RaisedSignals: OptionSet, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// A signal for each change of its readiness (O_ASYNC).
  package static let readiness = RaisedSignals(CLINUX_RAISES_FOR_READINESS)
  /// Signals have a receiver (F_SETOWN): those of urgent bytes, and of dnotify for a directory.
  package static let owned = RaisedSignals(CLINUX_HAS_OWNER)
  /// A signal when another program opens the file, which waits until the lease is given up (F_SETLEASE).
  package static let lease = RaisedSignals(CLINUX_HAS_LEASE)

  private init(_ value: clinux_raised_signals) { rawValue = Int32(bitPattern: value.rawValue) }

  /// The signals of a descriptor's file; a duplicate has those of the original. The corresponding C function
  /// is `fcntl(F_GETFL, F_GETOWN_EX, F_GETLEASE)`.
  package static func of(_ raw: Int32) throws(SystemError) -> RaisedSignals {
    RaisedSignals(rawValue: try systemCall("fcntl", on: .foreign) { clinux_raised_signals(raw) })
  }
}
