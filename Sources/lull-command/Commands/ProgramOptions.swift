import ArgumentParser
import LullChannel
import LullSystem
import LullWire

/// The options of `lull run` and `lull install` that say how a program lives.
struct ProgramOptions: ParsableArguments {
  @OptionGroup var life: LifeOptions
  @OptionGroup(title: "Start and end") var start: StartOptions

  var given: GivenOptions {
    var given = life.given
    start.add(to: &given)
    return given
  }
}

/// Those that hold for a program that others have started, too.
struct LifeOptions: ParsableArguments {
  /// ``ProgramSettings/effectiveModes``, for people.
  static let implied = """
    --keep-alive, --wake-on, --ignore, --ignore-peer, --tcp-keepalive, --udp-keepalive and --linger imply \
    --mode voip, and so does --timers without a mode; --fetch implies --mode fetch, and --accessory --mode \
    external-accessory.
    """

  @OptionGroup(title: "Sleep and wakes") var sleep: SleepOptions
  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Sound") var sound: SoundOptions
  @OptionGroup(title: "Memory") var memory: MemoryOptions
  @Option(
    help: .init(
      "Take links with this scheme, such as sip (repeatable); see \"lull open\".", valueName: "scheme"))
  var scheme: [String] = []

  var given: GivenOptions {
    var given = GivenOptions()
    given.add(.modes, sleep.mode)
    given.add(.keepAlive, sleep.keepAlive)
    given.add(.fetch, sleep.fetch)
    given.add(.wakeOn, network.wakeOn)
    given.add(.ignore, network.ignore)
    given.add(.ignorePeer, network.ignorePeer)
    given.add(.answerProbe, network.answerProbe)
    given.add(.tcpKeepalive, network.tcpKeepalive)
    given.add(.udpKeepalive, network.udpKeepalive)
    given.add(.udpKeepaliveTo, network.udpKeepaliveTo)
    given.add(.linger, sleep.linger)
    given.add(.timers, sleep.timers)
    given.add(.batchWakes, sleep.batchWakes)
    given.add(.accessory, sleep.accessory)
    given.add(.silence, sound.silence)
    given.add(.schemes, scheme)
    given.add(.noCompact, memory.noCompact)
    given.add(.memorySignal, memory.memorySignal)
    given.add(.cpu, memory.cpu)
    return given
  }
}

struct SleepOptions: ParsableArguments {
  @Option(
    help: .init(
      "What it does in the background: \(Modes.words.joined(separator: ", ")).", valueName: "mode,mode"),
    completion: .list(Modes.words))
  var mode: String?
  @Option(help: .init("Wake it at least this often; 600 or more.", valueName: "seconds"))
  var keepAlive: String?
  @Option(
    help: .init(
      """
      Wake it, or start it when it is installed and has ended, at most this often to look for something new: \
      while others are awake, and never without a network; 0.25 or more.
      """, valueName: "hours"))
  var fetch: String?
  @Option(
    help: .init(
      "Keep it awake this long after it sent something, for the answer (default: 1).", valueName: "seconds"))
  var linger: String?
  @Option(
    help: .init(
      "Wake it for its own timers at most this often, 5 or more, or \"never\" (default: 600).",
      valueName: "seconds|never"))
  var timers: String?
  @Option(help: .init("When it wakes too often, wake it at most this often.", valueName: "seconds"))
  var batchWakes: String?
  @Option(
    help: .init(
      """
      Of the devices that come or go, let only these wake it: \
      \(AccessorySubsystem.allCases.map(\.rawValue).joined(separator: ", ")), or one vendor's, such as \
      usb:046d or usb:046d:c52b (repeatable).
      """, valueName: "subsystem[:vendor[:product]]"))
  var accessory: [String] = []
}

struct NetworkOptions: ParsableArguments {
  @Option(
    help: .init(
      "Let only network connections with this port, its own or the peer's, wake it (repeatable).",
      valueName: "port"))
  var wakeOn: [String] = []
  @Option(
    help: .init(
      "Let connections with this port neither wake it nor keep it awake (repeatable).", valueName: "port"))
  var ignore: [String] = []
  @Option(
    help: .init(
      """
      Let connections of this peer, such as a health check, neither wake it nor keep it awake (repeatable).
      """, valueName: "address[/bits]"))
  var ignorePeer: [String] = []
  @Option(
    help: .init(
      """
      While it sleeps, answer the connections of these peers to a port of it, or with a path their HTTP GET, \
      without waking it (repeatable).
      """, valueName: "[port][/path]"))
  var answerProbe: [String] = []
  @Option(
    help: .init(
      "Probe its TCP connections this often while it sleeps, without waking it.", valueName: "seconds"))
  var tcpKeepalive: String?
  @Option(
    help: .init(
      "Send CRLFCRLF from its UDP sockets this often while it sleeps, without waking it.",
      valueName: "seconds"))
  var udpKeepalive: String?
  @Option(
    help: .init(
      "Where they go from sockets without a peer, usually the registrar (default: who sent there last).",
      valueName: "host:port"))
  var udpKeepaliveTo: String?
}

struct SoundOptions: ParsableArguments {
  @Option(
    help: .init(
      "Keep it awake this long after its last audible sound, 0 to 3600 (default: 10 to 60).",
      valueName: "seconds"))
  var silence: String?
}

struct MemoryOptions: ParsableArguments {
  @Option(
    help: .init(
      "Let it use at most this much of one processor in the background, while nothing keeps it awake.",
      valueName: "percent"))
  var cpu: String?
  @Flag(help: "Leave its memory where it is while it sleeps.")
  var noCompact = false
  @Option(
    help: .init(
      "Warn it by this signal when memory is short, such as USR1, if it is awake then.", valueName: "signal"))
  var memorySignal: String?
}

/// Those of a program that Lull starts and ends.
struct StartOptions: ParsableArguments {
  @Option(help: .init("Set a variable of its environment (repeatable).", valueName: "name=value"))
  var env: [String] = []
  @Option(
    help: .init(
      """
      Let its sound through the ALSA device "lull" be buffered this long, so that it sleeps while it plays.
      """,
      valueName: "seconds"))
  var deepBuffer: String?
  @Flag(help: "End it instead of putting it to sleep.")
  var exitsOnSuspend = false
  @Flag(help: "Let it be ended when memory is short; its connections end too, unless they are kept.")
  var purgeable = false
  @Flag(
    help: """
      It takes its sockets over (LISTEN_FDS): keep them for "lull restart --keep-lines", and when it crashes \
      asleep.
      """
  )
  var keepLines = false

  func add(to given: inout GivenOptions) {
    for variable in env { given.add(InstalledOption.environment, variable) }
    given.add(InstalledOption.deepBuffer, deepBuffer)
    given.add(.exitsOnSuspend, exitsOnSuspend)
    given.add(.purgeable, purgeable)
    given.add(.keepLines, keepLines)
  }
}

struct StreamOptions: ParsableArguments {
  enum Input: String, CaseIterable {
    case empty, open
  }

  @Flag(help: "Give the detached program a terminal of its own, which \"lull attach NAME\" joins.")
  var tty = false
  @Option(
    help: .init(
      "The input of the detached program: empty, or open and silent until \"lull attach\" sends lines.",
      valueName: "empty|open"), completion: .list(Input.allCases.map(\.rawValue)))
  var stdin: String?
  @Option(
    help: .init("Append the output of the detached program to this file.", valueName: "file"),
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
