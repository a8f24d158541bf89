import ArgumentParser
import LullSystem
import LullWire

/// `lull start NAME...`.
struct StartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start a detached program again.",
    usage: "lull start <names> ...",
    discussion: """
      It gets the words, the environment, the directory, the umask, the limits and the options of the last \
      "lull run --detach" of that name, and LULL_LAUNCH_REASON=user in its environment.

      Example: lull stop phone; lull start phone
      """)

  @Argument(help: "The programs' names.", completion: Completions.records)
  var names: [String]
  @OptionGroup var options: LaunchOptions

  func run() throws(Failure) {
    let launch = try options.launch()
    try KeptPrograms.each(names) { (name) throws(Failure) in
      var record = try KeptPrograms.record(of: name)
      record.request.launch = launch
      try KeeperLaunch.start(record)
    }
  }
}

/// `lull restart NAME...`.
struct RestartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart",
    abstract: "End a detached program and start it again.",
    discussion: """
      It is ended as by "lull stop", and started as by "lull start" when it has ended. One that does not run \
      is started.

      Example: lull restart phone
      """)

  @Argument(help: "The programs' names.", completion: Completions.programs)
  var names: [String]

  func run() throws(Failure) { try KeptPrograms.each(names) { (name) throws(Failure) in try restart(name) } }

  private func restart(_ name: String) throws(Failure) {
    let record = try KeptPrograms.record(of: name)
    let keeper = try KeeperConnection(name)
    keeper?.send(.watch)
    // The keeper alone may have been killed, and a program that no daemon knows is not lulld's to end.
    if try KeptPrograms.runs(name) {
      do throws(Failure) {
        try Ending.end([name], isAll: false, now: false, on: Daemon.connect())
      } catch .output {
        // It has ended: it is started all the same, and the start will tell the failure.
      }
      try keeper?.waitForEnd()
    }
    try KeptPrograms.startWhenFree(record)
  }
}
