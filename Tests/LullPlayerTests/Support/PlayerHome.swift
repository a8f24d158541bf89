import LullChannel
import LullSystem
import TestSupport
import Testing

@testable import LullPlayer
@testable import lull_player

/// The surroundings of a player of the test's own: its daemon, its directories, its bus.
final class PlayerHome {
  struct Result {
    var status: Int32
    var output: String
    var errors: String
  }

  let scratch: Scratch
  let lulld: FakeLulld
  private var bus: ConnectedChild?
  private let variables: [String]

  init(withBus: Bool = false) throws {
    scratch = try Scratch()
    try RuntimeDirectory.ensure(scratch.path + "/run")
    lulld = try FakeLulld(directory: scratch.path + "/run")
    variables = [
      "LULL_RUNTIME_DIR=\(scratch.path)/run", "XDG_STATE_HOME=\(scratch.path)/state",
      "XDG_CACHE_HOME=\(scratch.path)/cache", "LULL_GUARD=/bin/false",
      "DBUS_SESSION_BUS_ADDRESS=unix:path=\(scratch.path)/bus",
    ]
    if withBus { bus = try startBus() }
  }

  deinit { _ = try? player("quit") }

  /// The file of the player's queue.
  var stateFile: String {
    let number = RuntimeDirectory.number(of: scratch.path + "/run")
    return "\(scratch.path)/state/lull/at/\(number)/programs-state/lull-player/queue"
  }

  /// Runs the program to its end.
  @discardableResult
  func player(_ arguments: String...) throws -> Result {
    try run([Built.program("lull-player")] + arguments)
  }

  func run(_ command: [String]) throws -> Result {
    // The player that goes on in the background keeps its standard input.
    let null = try Files.openNull()
    let child = try ConnectedChild(command, environment: variables, input: null.raw)
    let (output, errors) = (try child.output.untilEnd(), try child.errors.untilEnd())
    guard case .exited(let status) = try child.end() else {
      return Result(status: -1, output: output, errors: errors)
    }
    return Result(status: status, output: output, errors: errors)
  }

  /// Starts the program on a terminal of its own.
  func start(onTerminal arguments: String...) throws -> (child: ConnectedChild, ends: PseudoTerminal.Ends) {
    let ends = try PseudoTerminal.open(.usual)
    let shell = ["sh", "-c", "exec \"$@\" >&0 2>&0", "sh", "setsid", "--ctty", "--wait"]
    let words = try shell + [Built.program("lull-player")] + arguments
    return (try ConnectedChild(words, environment: variables, input: ends.terminal.raw), ends)
  }

  /// The process number of the player that runs.
  func pid() throws -> Int32 {
    let socket = try UnixSocket.connect(path: scratch.path + "/run/player")
    return try UnixSocket.peer(of: socket.raw).pid
  }

  /// A command's connection to the player that runs.
  func connect() throws -> PlayerConnection {
    guard let connection = try PlayerConnection(path: scratch.path + "/run/player") else {
      throw SystemError.timedOut("a player")
    }
    return connection
  }

  /// Ends the bus, and waits until it has ended.
  func endBus() throws {
    let bus = try #require(bus)
    try bus.signal(Signal.kill)
    try bus.end()
  }

  private func startBus() throws -> ConnectedChild {
    let address = "unix:path=\(scratch.path)/bus"
    let bus = try ConnectedChild(
      ["dbus-daemon", "--session", "--nofork", "--nosyslog", "--print-address", "--address=\(address)"],
      environment: variables)
    _ = try bus.output.line()
    return bus
  }
}
