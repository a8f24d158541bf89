import ArgumentParser
import LullChannel
import LullProgram
import LullSystem
import LullWire

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a command that may sleep; start the daemon if none runs.",
    usage: "lull run [<options>] -- <command> ...",
    discussion: """
      The command runs as if the shell had started it: it has this terminal, directory, environment, \
      umask and limits, and is a job of the shell with lull (Ctrl-C, Ctrl-Z, "fg", "bg"). Signals to lull \
      are passed on to it. Its exit status is returned (127 not found, 126 not executable); lull ends by \
      the signal that ended it, which the shell tells as 128 + N.

      With --mode voip the command need not know Lull: it is in the background at once, sleeps by itself \
      whenever it is idle, and wakes when something arrives on one of its connections. Asleep, its own \
      timers stand still; it is woken for one that is due, at most once in 10 minutes, or as often as \
      --timers allows. "lull why NAME" tells what keeps it awake.

      With --mode audio it stays awake while what it plays through the ALSA device "lull" can be heard, and \
      sleeps 10 s after it stopped; one that plays on in silence has up to 60 s, as it has played before. \
      --silence sets that, and shortens the 10 s, but not the 12 s in which what begins need not be heard \
      yet. With that mode alone it needs no connection in order to sleep; its own timers wake it. Players \
      that do not mind a long buffer sleep while they play, with --deep-buffer 30.

      PORT is a number or a service name such as sip. \(LifeOptions.implied)

      Example: lull run --mode voip --keep-alive 600 -- baresip
      Example: lull run --mode audio -- aplay -D lull music.wav
      Example: lull run --name phone -- lull-phone 127.0.0.1:10000
      """)

  @Option(help: .init("Its name (default: the last part of the command's path).", valueName: "name"))
  var name: String?
  @OptionGroup var options: ProgramOptions
  @OptionGroup(title: "Detached") var detachment: DetachOptions
  @Argument(
    parsing: .captureForPassthrough, help: .init("The command and its arguments.", valueName: "command"),
    completion: .file())
  var words: [String] = []

  func validate() throws { try Self.validate(words, of: self) }

  /// The parser leaves every option that it does not know, `--help` and `--version` to the command; an option
  /// before the command is meant for lull.
  static func validate(_ words: [String], of command: some ParsableCommand) throws {
    guard let first = words.first, first.hasPrefix("-"), first != "--" else { return }
    if first == "--help" || first == "-h" { throw CleanExit.helpRequest(command) }
    if first == "--version" { throw CleanExit.message(Version.text) }
    let name = String(first.prefix { $0 != "=" })
    let known = InstalledOption.all.map(\.word) + ["--name", "--detach"]
    let near = Spelling.nearest(to: name, among: known)
    throw ValidationError("Unknown option '\(first)'" + (near.map { ". Did you mean '\($0)'?" } ?? ""))
  }

  func run() throws(Failure) {
    try detachment.check()
    var given = options.given
    detachment.streams.add(to: &given)
    let request = try given.request(name: name)
    guard !request.settings.keepsLines || detachment.detach else {
      throw .usage("--keep-lines: only for a detached program, which can be started again; give --detach too")
    }
    let start = RunStart(
      command: try CommandWords.ofThisProcess(words: words, adding: given.environment()),
      request: request)
    if detachment.detach {
      return try KeeperLaunch.start(detachment.record(start.request, start.command))
    }
    let signals = try ForwardedSignals()
    var session = try start.reserve(over: Daemon.connectStarting()).start(.init(), signals, isJob: true)
    try? StandardStreams.letGo()
    try session.waitForEnd().leave()
  }
}

extension ExitStatus {
  func leave() throws(Failure) {
    switch self {
    case .exited(0), .unknown: return
    case .exited(let status): throw .status(status)
    case .signaled(let signal):
      try? Signal.end(by: signal)
      throw .status(128 + signal)
    }
  }
}

struct DetachOptions: ParsableArguments {
  @Flag(
    help: """
      Do not wait for it: print its name and process id, or fail when it dies before it has rested for \
      10 ms, or within 200 ms where it does not rest. It holds nothing of this shell's. Its output goes to \
      a log ("lull logs NAME").
      """)
  var detach = false
  @OptionGroup var streams: StreamOptions

  func check() throws(Failure) {
    if let name = streams.given.first, !detach {
      throw .usage("\(name): only for a detached program; give --detach too")
    }
  }

  func record(_ request: Request.Run, _ command: CommandWords) throws(Failure) -> ProgramRecord {
    let words = "the command cannot be started"
    var record = ProgramRecord(
      request: request, words: command.arguments, environment: command.environment,
      directory: try explained(words, Files.workingDirectory()), umask: FileCreationMask.current(),
      limits: try explained(words, ResourceLimit.all()))
    record.output = try streams.outputFile()
    record.isInputOpen = streams.stdin == StreamOptions.Input.open.rawValue
    record.terminal = streams.tty ? Self.size() : nil
    return record
  }

  /// The size of this process's terminal, so that who joins from it changes nothing.
  private static func size() -> TerminalSize {
    [StandardStreams.output, StandardStreams.input, StandardStreams.error]
      .compactMap { Terminal.size($0) }.first ?? .usual
  }
}
