import ArgumentParser
import LullSystem
import LullWire

/// `lull run [options] -- COMMAND...`.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a command that may sleep; start the daemon if none runs.",
    usage: "lull run [<options>] -- <command> ...",
    discussion: """
      The command gets this terminal, directory and environment. Signals are passed on to it; its exit \
      status is returned (128 + N when signal N ended it, 127 not found, 126 not executable). Ctrl-Z sends \
      it to the background, where it may sleep, and stops lull; the shell's "fg" brings both back.

      Example: lull run --name phone -- lull-phone 127.0.0.1:10000
      """)

  @Option(help: ArgumentHelp("Its name (default: the last part of the command's path).", valueName: "name"))
  var name: String?
  @Option(
    help: ArgumentHelp(
      "What it does in the background: voip, audio, external-accessory.", valueName: "mode,mode"),
    completion: .list(Request.Mode.allCases.map(\.rawValue)))
  var mode: String?
  @Option(
    help: ArgumentHelp("Wake it at least this often; 600 or more; implies --mode voip.", valueName: "seconds")
  )
  var keepAlive: Double?
  @Flag(help: "Do not wait for it: print its name and process id. Its standard input is empty.")
  var detach = false
  @Option(
    help: ArgumentHelp("When it wakes too often, wake it at most this often.", valueName: "seconds"))
  var batchWakes: Double?
  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The command and its arguments.", valueName: "command"),
    completion: .file())
  var words: [String] = []

  /// The parser leaves every option that it does not know, and `--help`, to the command; one that stands
  /// before the command is meant for lull.
  func validate() throws {
    guard let first = words.first, first.hasPrefix("-"), first != "--" else { return }
    if first == "--help" || first == "-h" { throw CleanExit.helpRequest(self) }
    throw ValidationError("Unknown option '\(first)'")
  }

  func run() throws(Failure) {
    let fields = try request()
    let command = try CommandBlock.ofThisProcess(words: words)
    var connection = try Daemon.connectStarting()
    try hand(command, to: &connection)
    // Blocked before the program starts: a Ctrl-C between its start and the first wait must reach it.
    let signals = try ForwardedSignals()
    let ok = try connection.ask(.run(fields)).ok
    guard let name = ok[.name] else { throw .unreadable(.missingField(Key.name.rawValue)) }
    guard !detach else { return try Output.write("\(Printable.text(name)) (pid \(ok[.pid] ?? "unknown"))\n") }
    var session = RunSession(name: name, connection: connection, signals: signals)
    let status = try session.waitForEnd()
    if status != 0 { throw .status(status) }
  }

  /// The request that the options ask for.
  func request() throws(Failure) -> Request.Run {
    if let name, !ProgramName.isValid(name) {
      throw .usage(
        "--name \(name): must be letters, digits, '.', '_' and '-', and start with a letter or digit")
    }
    let modes = try RunOptions.modes(mode)
    return Request.Run(
      name: name, modes: modes, keepAliveNanoseconds: try RunOptions.keepAlive(keepAlive),
      detach: detach, batchWakesNanoseconds: try RunOptions.batchWakes(batchWakes))
  }

  private func hand(_ command: CommandBlock, to connection: inout Connection) throws(Failure) {
    let directory = try opened { () throws(SystemError) in try Files.openDirectory(".") }
    let memory = try opened { () throws(SystemError) in
      try Files.memoryFile(name: "lull-command", command.bytes)
    }
    let nothing = try opened { () throws(SystemError) in try Files.memoryFile(name: "lull-nothing", []) }
    for stream in [StandardStreams.input, StandardStreams.output, StandardStreams.error] {
      let isEmpty = detach && stream == StandardStreams.input || !isOpen(stream)
      _ = try connection.ask(.stdio(number: stream), descriptor: isEmpty ? nothing.raw : stream)
    }
    _ = try connection.ask(.directory, descriptor: directory.raw)
    _ = try connection.ask(.command(arguments: command.arguments), descriptor: memory.raw)
  }

  private func opened(_ open: () throws(SystemError) -> Descriptor) throws(Failure) -> Descriptor {
    do {
      return try open()
    } catch {
      throw .failed("cannot hand over the command: \(error)")
    }
  }

  /// A standard stream may be closed (`<&-`); the program must not get the daemon's in its place.
  private func isOpen(_ stream: Int32) -> Bool { (try? FileIdentity.of(stream)) != nil }
}

/// The checks of `run`'s options.
enum RunOptions {
  private static let shortestKeepAlive = 600.0
  /// About 68 years; more is a slip of the finger and might not fit the protocol.
  private static let longest = Double(Int32.max)

  static func modes(_ text: String?) throws(Failure) -> [Request.Mode] {
    guard let text else { return [] }
    var modes: [Request.Mode] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let mode = Request.Mode(rawValue: String(word)) else {
        let all = Request.Mode.allCases.map(\.rawValue).joined(separator: ", ")
        throw .usage("--mode \(text): each mode must be one of \(all)")
      }
      if !modes.contains(mode) { modes.append(mode) }
    }
    return modes
  }

  static func keepAlive(_ seconds: Double?) throws(Failure) -> Int64? {
    guard let seconds else { return nil }
    guard seconds >= shortestKeepAlive, seconds <= longest else {
      throw .usage("--keep-alive \(number(seconds)): must be 600 s or more")
    }
    return Int64(seconds * 1e9)
  }

  static func batchWakes(_ seconds: Double?) throws(Failure) -> Int64? {
    guard let seconds else { return nil }
    guard seconds > 0, seconds <= longest else {
      throw .usage("--batch-wakes \(number(seconds)): must be more than 0 s")
    }
    return Int64(seconds * 1e9)
  }

  private static func number(_ seconds: Double) -> String {
    Int64(exactly: seconds).map { String($0) } ?? String(seconds)
  }
}
