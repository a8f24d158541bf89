import ArgumentParser
import LullWire

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show what is played, and where in it.")
  @Flag(help: "As JSON.") var json = false
  @Flag(help: "Go on showing; on a terminal with a bar that moves.") var watch = false

  func run() throws {
    guard var connection = try PlayerLauncher.connect() else { return try StandardOutput.write(absent) }
    if watch { return try Watching(json: json).run(&connection) }
    guard let report = StatusReport(try connection.ask(.status).last ?? Message("ok")) else { return }
    try StandardOutput.write(json ? StatusText.json(report) + "\n" : StatusText.full(report))
  }

  private var absent: String {
    json ? StatusText.json(StatusReport()) + "\n" : "stopped (no player runs; lull-player add FILE...)\n"
  }
}

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the queue.")
  @Flag(help: "As JSON.") var json = false

  func run() throws {
    guard var connection = try PlayerLauncher.connect() else {
      return try StandardOutput.write(json ? "[]\n" : "")
    }
    let items = try connection.ask(.list).filter { $0.verb == "item" }.map(ListEntry.init)
    try StandardOutput.write(json ? ListEntry.json(items) + "\n" : ListEntry.table(items))
  }
}

struct QuitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quit", abstract: "End the player; its queue and position are remembered.")

  func run() throws {
    guard var connection = try PlayerLauncher.connect() else { return }
    _ = try connection.ask(.quit)
    // It closes the connection when it has remembered everything.
    while (try? connection.next(waitingAtMost: 5000)) ?? nil != nil {}
  }
}
