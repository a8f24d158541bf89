import ArgumentParser
import LullWire

struct LockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Tell the programs that the session is locked.",
    discussion: """
      Active programs become inactive, and every program on the library closes the files that the lock \
      protects; a sleeping one does so at its next wake. The screen is not locked by this. Where the desktop \
      tells of its lock, nobody has to.

      Example: lull lock
      """)

  func run() throws(Failure) { _ = try Daemon.ask(.lock) }
}

struct UnlockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Tell the programs that the session is unlocked.",
    discussion: "Example: lull unlock")

  func run() throws(Failure) { _ = try Daemon.ask(.unlock) }
}
