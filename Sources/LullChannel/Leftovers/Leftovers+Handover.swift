package import LullSystem

// The restart of a service, over which the programs are handed to the next daemon.
extension Leftovers {
  private var handoverPath: String { "\(directory)/handover" }

  /// True while the next daemon is expected to take over the programs of the one that has ended. Where none
  /// comes, this stays true until the next start.
  package var isHandedOver: Bool { Files.exists(handoverPath) }

  /// Notes that the next daemon is expected, before the lock is let go. The corresponding C function is
  /// `open(O_CREAT)`.
  package func beginHandover() throws(SystemError) { _ = try Files.create(handoverPath) }

  /// Takes note that a daemon is there. The corresponding C function is `unlink`.
  package func endHandover() {
    // There is a file only after a restart.
    try? Files.unlink(handoverPath)
  }
}
