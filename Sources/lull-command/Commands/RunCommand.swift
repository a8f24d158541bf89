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

      PORT is a number or a service name such as sip. \(ProgramOptions.implied)

      Example: lull run --mode voip --keep-alive 600 -- baresip
      Example: lull run --mode audio -- aplay -D lull music.wav
      Example: lull run --name phone -- lull-phone 127.0.0.1:10000
      """)

  @Option(help: ArgumentHelp("Its name (default: the last part of the command's path).", valueName: "name"))
  var name: String?
  @OptionGroup var options: ProgramOptions
  @OptionGroup(title: "Detached") var detachment: DetachOptions
  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The command and its arguments.", valueName: "command"),
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
    // A closed standard stream must not become the connection's number.
    try detachment.check()
    var given = options.given
    detachment.streams.add(to: &given)
    let request = try given.request(name: name)
    guard !request.settings.keepsLines || detachment.detach else {
      throw .usage("--keep-lines: only for a detached program, which can be started again; give --detach too")
    }
    let start = RunStart(
      command: try CommandBlock.ofThisProcess(words: words, adding: given.environment()),
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
      Do not wait for it: print its name and process id, or fail when it dies within 200 ms. It holds \
      nothing of this shell's. Its output goes to a log ("lull logs NAME").
      """)
  var detach = false
  @OptionGroup var streams: StreamOptions

  func check() throws(Failure) {
    if let name = streams.given.first, !detach {
      throw .usage("\(name): only for a detached program; give --detach too")
    }
  }

  func record(_ request: Request.Run, _ command: CommandBlock) throws(Failure) -> ProgramRecord {
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

/// The options of `lull run` and `lull install` that say how a program lives.
struct ProgramOptions: ParsableArguments {
  /// ``ProgramSettings/effectiveModes``, for people.
  static let implied = """
    --keep-alive, --wake-on, --ignore, --tcp-keepalive, --udp-keepalive and --linger imply --mode voip, and \
    so does --timers without a mode.
    """

  @OptionGroup(title: "Sleep and wakes") var sleep: SleepOptions
  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Sound") var sound: SoundOptions
  @OptionGroup(title: "Memory") var memory: MemoryOptions
  @Option(
    help: ArgumentHelp(
      "Take links with this scheme, such as sip (repeatable); see \"lull open\".", valueName: "scheme"))
  var scheme: [String] = []
  @Option(
    help: ArgumentHelp("Set a variable of its environment (repeatable).", valueName: "name=value"))
  var env: [String] = []

  var given: GivenOptions {
    var given = GivenOptions()
    given.add(.modes, sleep.mode)
    given.add(.keepAlive, sleep.keepAlive)
    given.add(.wakeOn, network.wakeOn)
    given.add(.ignore, network.ignore)
    given.add(.tcpKeepalive, network.tcpKeepalive)
    given.add(.udpKeepalive, network.udpKeepalive)
    given.add(.udpKeepaliveTo, network.udpKeepaliveTo)
    given.add(.linger, sleep.linger)
    given.add(.timers, sleep.timers)
    given.add(.batchWakes, sleep.batchWakes)
    given.add(InstalledOption.deepBuffer, sound.deepBuffer)
    given.add(.silence, sound.silence)
    given.add(.schemes, scheme)
    for variable in env { given.add(InstalledOption.environment, variable) }
    given.add(.exitsOnSuspend, sleep.exitsOnSuspend)
    given.add(.noCompact, memory.noCompact)
    given.add(.keepLines, network.keepLines)
    given.add(.purgeable, memory.purgeable)
    given.add(.memorySignal, memory.memorySignal)
    return given
  }
}

struct SleepOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What it does in the background: voip, audio, external-accessory.", valueName: "mode,mode"),
    completion: .list(Modes.words))
  var mode: String?
  @Option(
    help: ArgumentHelp("Wake it at least this often; 600 or more.", valueName: "seconds")
  )
  var keepAlive: String?
  @Option(
    help: ArgumentHelp(
      "Leave it awake this long after it sent something, for the answer (default: 1).", valueName: "seconds"))
  var linger: String?
  @Option(
    help: ArgumentHelp(
      "Wake it for its own timers at most this often, 5 or more, or \"never\" (default: 600).",
      valueName: "seconds|never"))
  var timers: String?
  @Option(
    help: ArgumentHelp("When it wakes too often, wake it at most this often.", valueName: "seconds"))
  var batchWakes: String?
  @Flag(help: "End it instead of putting it to sleep.")
  var exitsOnSuspend = false
}

struct NetworkOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Let only network connections with this port, its own or the peer's, wake it (repeatable).",
      valueName: "port"))
  var wakeOn: [String] = []
  @Option(
    help: ArgumentHelp(
      "Let connections with this port neither wake it nor keep it awake (repeatable).", valueName: "port"))
  var ignore: [String] = []
  @Option(
    help: ArgumentHelp(
      "Probe its TCP connections this often while it sleeps, without waking it.", valueName: "seconds"))
  var tcpKeepalive: String?
  @Option(
    help: ArgumentHelp(
      "Send CRLFCRLF from its UDP sockets this often while it sleeps, without waking it.",
      valueName: "seconds"))
  var udpKeepalive: String?
  @Option(
    help: ArgumentHelp(
      "Where they go from sockets without a peer, usually the registrar (default: who sent there last).",
      valueName: "host:port"))
  var udpKeepaliveTo: String?
  @Flag(
    help: """
      It takes its sockets over (LISTEN_FDS): keep them for "lull restart --keep-lines", and when it crashes \
      asleep.
      """
  )
  var keepLines = false
}

struct SoundOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Let its sound through the ALSA device "lull" be buffered this long, so that it sleeps while it plays.
      """,
      valueName: "seconds"))
  var deepBuffer: String?
  @Option(
    help: ArgumentHelp(
      "Leave it awake this long after the last that was heard of it, 0 to 3600 (default: 10 to 60).",
      valueName: "seconds"))
  var silence: String?
}

struct MemoryOptions: ParsableArguments {
  @Flag(help: "Leave its memory where it is while it sleeps.")
  var noCompact = false
  @Flag(help: "Let it be ended when memory is short; its connections end too, unless they are kept.")
  var purgeable = false
  @Option(
    help: ArgumentHelp(
      "Warn it by this signal when memory is short, such as USR1, if it is awake then.", valueName: "signal"))
  var memorySignal: String?
}

struct StreamOptions: ParsableArguments {
  enum Input: String, CaseIterable {
    case empty, open
  }

  @Flag(help: "Give the detached program a terminal of its own, which \"lull attach NAME\" joins.")
  var tty = false
  @Option(
    help: ArgumentHelp(
      "The input of the detached program: empty, or open and silent until \"lull attach\" sends lines.",
      valueName: "empty|open"),
    completion: .list(Input.allCases.map(\.rawValue)))
  var stdin: String?
  @Option(
    help: ArgumentHelp("Append the output of the detached program to this file.", valueName: "file"),
    completion: .file())
  var output: String?

  var given: [String] {
    [("--tty", tty), ("--stdin", stdin != nil), ("--output", output != nil)].filter(\.1).map(\.0)
  }

  func add(to given: inout GivenOptions) {
    given.add(InstalledOption.terminal, tty)
    given.add(InstalledOption.stdin, stdin)
  }

  func outputFile() throws(Failure) -> [UInt8]? {
    guard let output else { return nil }
    let words = "--output \(output): cannot be written"
    let path = try explained(words, brief: Files.absolutePath(Array(output.utf8)))
    try explained(words, brief: Files.openAtEnd(path, mode: 0o666))
    return path
  }
}
