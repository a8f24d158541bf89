import ArgumentParser
import LullChannel
import LullModel
import LullSystem
import LullWire

struct AdoptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt",
    abstract: "Let something sleep that runs already: a process, a service, a container.",
    usage: "lull adopt --unit NAME | --container NAME | --pid PID | --cgroup PATH",
    discussion: """
      It is a program like any other from now on: it sleeps whenever it is idle, and wakes when something \
      arrives on one of its connections, which stay as they are. It is not started anew, and stays in the \
      cgroup that it has, one below. Who started it, restarts it and writes its log does so as before: what \
      "systemctl stop" or "podman stop" sends wakes it, "podman exec" and "podman pause" work on the \
      sleeper.

      Lull never ends it. "lull release NAME" lets it go, awake.

      A service with WatchdogSec= is woken for its sign of life. --pid takes the process and its \
      descendants, the others everything in the cgroup. Another user's process takes the lulld of root.

      Example: lull adopt --unit redis-server
               lull adopt --container web --keep-alive 600
               lull release web
      """)

  @OptionGroup(title: "What") var target: AdoptTarget
  @Flag(help: "Only watch it as if it slept, until it is released; \"lull watch\" tells what it found.")
  var dryRun = false
  @OptionGroup var how: AdoptOptions

  func run() throws(Failure) {
    var connection = try Daemon.connectStarting(boots: false)
    let (name, pid) = try how.adopt(target.find(), isDryRun: dryRun, &connection)
    try Output.say(
      "\(name): \(dryRun ? "watched" : "adopted"), pid \(pid); \"lull release \(name)\" lets it go\n")
  }
}

/// Its name and how it is to live.
struct AdoptOptions: ParsableArguments {
  @Option(help: .init("Its name (default: that of the unit, container or command).", valueName: "name"))
  var name: String?
  @OptionGroup var options: ProgramOptions

  /// Returns the name that it got, and the number of its process.
  func adopt(
    _ found: AdoptedProcess, isDryRun: Bool, _ connection: inout Connection
  ) throws(Failure) -> (name: String, pid: String) {
    let given = options.given
    guard try given.environment().isEmpty else {
      throw .usage("--env and --deep-buffer: only for a program that Lull starts; this one runs already")
    }
    var settings = try given.request(name: name).settings
    if settings.modes.isEmpty { settings.modes = .voip }
    if let watchdog = found.watchdog, !isDryRun { try Self.wake(&settings, for: watchdog, of: found) }
    let usual = ProgramName.isValid(found.name) ? found.name : nil
    let request = Request.Adopt(
      found.kind, name: name ?? usual, settings, origin: found.origin, isDryRun: isDryRun)
    let pidfd = found.pidfd
    let ok = try connection.overRestart { (connection) throws(Failure) in
      try connection.ask(.adopt(request), descriptor: pidfd).ok
    }
    return (try readable(ok.string(.name)), ok[.pid] ?? "?")
  }

  /// Its own timer for the sign of life runs twice in the time of the watchdog (sd_watchdog_enabled(3)).
  private static func wake(
    _ settings: inout ProgramSettings, for watchdog: Interval, of found: AdoptedProcess
  ) throws(Failure) {
    let half = Interval(nanoseconds: watchdog.nanoseconds / 2)
    guard half >= Bounds.timerFloors.lowerBound else {
      throw .failed(
        """
        \(found.origin ?? "it") owes systemd a sign of life every \
        \(DurationText.text(seconds: watchdog.seconds)) (WatchdogSec=): too often to sleep
        """)
    }
    switch settings.timers {
    case .floor(let floor) where floor <= half: break
    default: settings.timers = .floor(min(half, Bounds.timerFloors.upperBound))
    }
  }
}

struct AdoptTarget: ParsableArguments {
  @Option(help: .init("This process and its descendants.", valueName: "pid")) var pid: Int32?
  @Option(help: .init("A service of systemd.", valueName: "unit")) var unit: String?
  @Flag(help: "The unit is one of the user's systemd.") var user = false
  @Option(help: .init("A container.", valueName: "container")) var container: String?
  @Option(
    help: .init(
      "What runs the container: podman, docker, nerdctl, runc, crun (default: the first of them).",
      valueName: "program"))
  var runtime: String?
  @Option(
    help: .init("All processes of a cgroup, as /proc/PID/cgroup names it.", valueName: "path"),
    completion: .directory)
  var cgroup: String?

  func validate() throws {
    let given = [pid != nil, unit != nil, container != nil, cgroup != nil].filter { $0 }.count
    guard given == 1 else {
      throw ValidationError("say what to adopt: one of --pid, --unit, --container and --cgroup")
    }
    if user, unit == nil { throw ValidationError("--user: only with --unit") }
    if runtime != nil, container == nil { throw ValidationError("--runtime: only with --container") }
  }

  func find() throws(Failure) -> AdoptedProcess {
    if let pid { return try AdoptedProcess(pid: pid) }
    if let unit { return try AdoptedProcess(unit: unit, ofUser: user) }
    if let container { return try AdoptedProcess(container: container, runtime: runtime) }
    return try AdoptedProcess(cgroup: cgroup ?? "/")
  }
}

struct ReleaseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "release",
    abstract: "Let adopted programs go: they run on, awake and as before.",
    discussion: """
      Their processes go back to the cgroup in which they were.

      Example: lull release web
      """)

  @Argument(help: "The programs' names.", completion: Completions.programs)
  var names: [String]

  func run() throws(Failure) {
    try DetachedPrograms.each(names) { (name) throws(Failure) in
      var connection = try Daemon.connect()
      _ = try connection.ask(.letGo(name: name))
      try Output.say("\(name): let go\n")
    }
  }
}
