import ArgumentParser
import Lull
import LullPlayer
import LullSystem
import LullWire

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show what is played, and where in it.", aliases: ["current"])
  @Flag(help: "As JSON.") var json = false
  @Flag(help: "Go on showing, on a terminal with a bar that moves; q leaves.") var watch = false

  func run() throws {
    var (report, isRunning): (StatusReport?, Bool) = (nil, true)
    if var connection = try PlayerLauncher.connect() {
      if watch { return try Watching(json: json).run(&connection) }
      report = try connection.report(Message("status"))
    } else {
      (report, isRunning) = (try RestingPlayer()?.ask("status").last.flatMap { StatusReport($0) }, false)
    }
    if json { return try StandardOutput.write(StatusText.json(report ?? StatusReport()) + "\n") }
    if let report, isRunning || report.count > 0 { try StandardOutput.write(StatusText.full(report)) }
    guard !isRunning else { return }
    let isEmpty = (report?.count ?? 0) == 0
    try StandardOutput.write(
      isEmpty
        ? "stopped (no player runs; lull-player add FILE...)\n"
        : "no player runs (lull-player play starts it)\n")
  }
}

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the queue.")
  @Flag(help: "As JSON.") var json = false

  func run() throws {
    var answer: [Message] = []
    if var connection = try PlayerLauncher.connect() {
      answer = try connection.ask(Message("list"))
    } else {
      answer = try RestingPlayer()?.ask("list") ?? []
    }
    let items = answer.filter { $0.verb == "item" }
    try StandardOutput.write(json ? ListText.json(items) + "\n" : ListText.table(items))
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
