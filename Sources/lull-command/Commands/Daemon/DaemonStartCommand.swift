import ArgumentParser
import LullWire

struct DaemonStartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start the daemon, and the installed programs with it.",
    discussion: """
      "lull run" and every program on the library start it too, where none runs. What runs on since an \
      earlier daemon is taken over. Exit status 0 also when one runs already.

      Example: lull daemon start
      """)

  func run() throws(Failure) {
    let hadDaemon = try Daemon.runs()
    var connection = try DaemonStart(starter: .daemonStart).connect()
    try connection.greet()
    try Output.say(hadDaemon ? "a daemon runs already\n" : "the daemon runs\n")
  }
}
