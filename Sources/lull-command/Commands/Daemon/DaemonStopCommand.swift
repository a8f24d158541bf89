import ArgumentParser
import LullWire

/// `lull daemon stop [--programs]`.
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
    if endsPrograms {
      let alone = AloneEnding.names(among: FormerKeeper.names())
      if !alone.isEmpty {
        try KeptPrograms.each(alone) { (name) throws(Failure) in
          try AloneEnding.end(name, now: false, for: nil)
        }
      }
    }
    let count: Int
    do throws(Failure) {
      let items = try Daemon.ask(.status(name: nil)).items
      count = endsPrograms ? 0 : items.count { $0.itemKind == .program }
      try DaemonStop.stop(withPrograms: endsPrograms)
    } catch .noDaemon {
      try Output.say("no daemon runs\n")
      return
    }
    let rest = count == 1 ? "; 1 program goes on, awake" : "; \(count) programs go on, awake"
    try Output.say("the daemon has ended\(count == 0 ? "" : rest)\n")
  }
}
