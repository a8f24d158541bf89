import LullSystem
import LullWire
import TestSupport
import Testing

/// A daemon in a network of its own, its log, and the commands that it runs.
final class Stage {
  let network: Network
  let lull: Lull
  let journal: Journal
  /// The runs of `lull run`, which live as long as the stage: without `lull run` its command is ended.
  private var runs: [ConnectedChild] = []

  /// `network` is one that was made before; `prefix` is a command that starts lulld there; `binaries` is
  /// another directory of lulld and lull-guard.
  init(
    clockRate: Int = 1, network made: Network? = nil, prefix: [String] = [], environment: [String] = [],
    sandbox: Sandbox? = nil, binaries: String? = nil
  ) throws {
    network = try made ?? Network()
    lull = try Lull(
      clockRate: clockRate, sandbox: sandbox, prefix: network.prefix + prefix, binaries: binaries,
      environment: environment)
    journal = try lull.journal()
  }

  /// `lull run --mode voip --name NAME OPTIONS -- COMMAND`.
  @discardableResult
  func run(
    _ name: String, _ command: [String], options: [String] = [], input: Int32? = nil
  ) throws -> ConnectedChild {
    let words = ["run", "--mode", "voip", "--name", name] + options + ["--"] + command
    let run = try lull.start(words, input: input, prefix: network.prefix)
    runs.append(run)
    return run
  }

  /// A program that says `ready` when it is ready; returned when it sleeps.
  @discardableResult
  func runToSleep(_ name: String, _ command: [String], options: [String] = []) throws -> ConnectedChild {
    let child = try run(name, command, options: options)
    _ = try child.output.line { $0 == "ready" }
    try journal.waitForSleep(of: name)
    return child
  }

  /// The line of a sleeping program that has these ends.
  func line(of program: String, local: String? = nil, peer: String? = nil) throws -> String {
    let lines = try lull.order("lines name=\(program)").all(.line)
    let line = lines.first { line in
      (local == nil || line[.local] == local) && (peer == nil || line[.peer] == peer)
    }
    return try #require(line?[.id], "no line \(local ?? "") \(peer ?? "") in \(lines)")
  }

  /// The output of `lull why`.
  func why(_ program: String) throws -> String { try lull.run("why", program).output }

  /// Waits until `lull why` has these words: a program that is awake is looked at again and again, and a look
  /// may find something else.
  func waitForWhy(_ program: String, _ words: String) throws {
    let deadline = Deadline()
    while true {
      let why = try why(program)
      if why.contains(words) { return }
      try #require(!deadline.isOver, "not a word of \(words): \(why)")
    }
  }

  /// The processes of a program.
  func pids(of program: String) throws -> [Int32] {
    try lull.field(.pids, of: program).split(separator: ",").compactMap { Int32($0) }
  }
}
