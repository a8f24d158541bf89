import ArgumentParser

struct DaemonUpgradeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Replace the daemon by the one that is installed now.",
    discussion: """
      Programs, their connections, their sound, their schedules and notifications go on. Sleeping programs \
      are woken, and sleep again under the new daemon.

      The new programs are those beside this "lull". They are tried first: where they do not start, nothing \
      is changed.

      Example: lull daemon upgrade
      """)

  func run() throws(Failure) {
    let outcome = try DaemonUpgrade.upgrade()
    try Output.say(outcome.text)
    if !outcome.lost.isEmpty { throw .status(1) }
  }
}
