import ArgumentParser
import Lull
import LullPlayer
import LullSystem
import LullWire

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show what is played, and where in it.",
    aliases: ["current"])
  @Flag(help: "As JSON.") var json = false
  @Flag(help: "Go on showing, on a terminal with a bar that moves; q leaves.") var watch = false

  func run() throws {
    guard var connection = try PlayerLauncher.connect() else { return try showResting() }
    if watch { return try Watching(json: json).run(&connection) }
    guard let report = try connection.report(Message("status")) else { return }
    try StandardOutput.write(json ? StatusText.json(report) + "\n" : StatusText.full(report))
  }

  private func showResting() throws {
    guard let report = try RestingPlayer()?.ask("status").last.flatMap({ StatusReport($0) }), report.count > 0
    else {
      let empty = "stopped (no player runs; lull-player add FILE...)\n"
      return try StandardOutput.write(json ? StatusText.json(StatusReport()) + "\n" : empty)
    }
    let text = StatusText.full(report) + "no player runs (lull-player play starts it)\n"
    try StandardOutput.write(json ? StatusText.json(report) + "\n" : text)
  }
}

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the queue.")
  @Flag(help: "As JSON.") var json = false

  func run() throws {
    let items = try answer().filter { $0.verb == "item" }
    try StandardOutput.write(json ? ListText.json(items) + "\n" : ListText.table(items))
  }

  private func answer() throws -> [Message] {
    if var connection = try PlayerLauncher.connect() { return try connection.ask(Message("list")) }
    return try RestingPlayer()?.ask("list") ?? []
  }
}

struct QuitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quit", abstract: "End the player; its queue and position are remembered.")

  func run() throws {
    guard var connection = try PlayerLauncher.connect() else { return }
    _ = try connection.ask(Message("quit"))
    // The player closes the connection when it has saved its state.
    while (try? connection.next(until: Clock.boottime() + 5_000_000_000)) ?? nil != nil {}
  }
}

/// The answers of a player that does not run, from its saved state. Nothing is started and nothing changed.
struct RestingPlayer {
  private let controller: Controller

  /// Nil when there is no saved state.
  init?() throws(Failure) {
    let state: SavedState?
    do throws(SystemError) {
      state = try PlayerState.file?.peek()
    } catch {
      throw .failed("the remembered queue cannot be read: \(error)")
    }
    guard let state else { return nil }
    let player = QueuePlayer(lowWaterSeconds: 1) { _, _ throws(LullError) in throw .ended }
    player.restore(state)
    controller = Controller(player: player) { PlayerTroubles() }
  }

  func ask(_ request: String) -> [Message] { controller.answer(Message(request)).messages }
}
