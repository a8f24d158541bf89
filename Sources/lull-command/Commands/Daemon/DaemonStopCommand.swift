import ArgumentParser

struct DaemonStopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "End the daemon.",
    discussion: """
      Every program that sleeps is woken and goes on without Lull: a command with the "lull run" or the \
      keeper that started it, a program on the library by itself. None of them sleeps any more until a \
      daemon runs again.

      --programs ends the programs first, as "lull quit --all" does.

      Returns when both processes have ended. Exit status 0 also when no daemon runs.

      Example: lull daemon stop
               lull daemon stop --programs
      """)

  @Flag(name: .customLong("programs"), help: "End the programs first.")
  var endsPrograms = false

  func run() throws(Failure) {
    guard let count = try DaemonStop.stop(withPrograms: endsPrograms) else {
      return try Output.say("no daemon runs\n")
    }
    let rest = count == 1 ? "; 1 program goes on, awake" : "; \(count) programs go on, awake"
    try Output.say("the daemon has ended\(count == 0 ? "" : rest)\n")
  }
}
