import ArgumentParser
import LullWire

struct AdoptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt",
    abstract: "Let something sleep that runs already: a process, a service, a container.",
    usage: """
      lull adopt --unit NAME | --container NAME | --pid PID | --cgroup PATH
             lull adopt --pods
      """,
    discussion: """
      It is a program like any other from now on: it sleeps whenever it is idle, and wakes when something \
      arrives on one of its connections, which stay as they are. It is not started anew, and stays in the \
      cgroup that it has, one below. Who started it, restarts it and writes its log does so as before: what \
      "systemctl stop" or "podman stop" sends wakes it, "podman exec" and "podman pause" work on the \
      sleeper.

      Lull never ends it. "lull release NAME" lets it go, awake.

      A service with WatchdogSec= is woken for its sign of life. --pid takes the process and its \
      descendants, the others everything in the cgroup. Another user's process takes the lulld of root.

      --follow stays, and adopts each new life of it as well, until SIGTERM or Ctrl-C; what is adopted then \
      stays so. --pods does that for every container whose annotations (or labels) say so: lull.mode, and if \
      need be \(LullAnnotations.others.joined(separator: ", ")).

      Example: lull adopt --unit redis-server
               lull adopt --container web --keep-alive 600 --follow
               lull adopt --pods --runtime crictl --selector tier=front
               lull release web
      """)

  @OptionGroup(title: "What") var target: AdoptTarget
  @Flag(help: "Every container whose annotations say so, as they come and go.") var pods = false
  @Option(
    help: .init("Of these only those with this label or annotation (repeatable).", valueName: "key=value"))
  var selector: [String] = []
  @Flag(help: "Stay, and adopt it again after each restart of it.") var follow = false
  @Flag(help: "Only watch it as if it slept, until it is released (lull watch tells what it found).")
  var dryRun = false
  @OptionGroup var how: AdoptOptions

  func validate() throws {
    guard target.count + (pods ? 1 : 0) == 1 else {
      throw ValidationError("say what to adopt: one of --pid, --unit, --container, --cgroup and --pods")
    }
    if target.runtime != nil, target.container == nil, !pods {
      throw ValidationError("--runtime: only with --container and --pods")
    }
    if !selector.isEmpty, !pods { throw ValidationError("--selector: only with --pods") }
    if follow, target.pid != nil {
      throw ValidationError("--follow: a process has one life; name its unit, container or cgroup")
    }
    if follow, pods { throw ValidationError("--follow: --pods does that for each container") }
    if dryRun, follow || pods { throw ValidationError("--dry-run: neither with --follow nor with --pods") }
  }

  func run() throws(Failure) {
    if pods {
      guard how.isEmpty else {
        throw .usage("--pods: the annotations say how each of them lives; take the other options out")
      }
      return try PodFollower.run(runtime: target.runtime, selector: selector)
    }
    let settings = try how.settings()
    if follow {
      return try AdoptionFollower { () throws(Failure) in
        let found = try target.find()
        if let line = try found.adoptOnce(settings, as: how.name) { try Output.say(line) }
        return found
      }.run(in: target.cgroup)
    }
    try Output.say(target.find().adopt(settings, as: how.name, isDryRun: dryRun))
  }
}

struct AdoptTarget: ParsableArguments {
  @Option(help: .init("This process and its descendants.", valueName: "pid")) var pid: Int32?
  @Option(help: .init("A service of systemd.", valueName: "unit")) var unit: String?
  @Flag(help: "The unit is one of the user's systemd.") var user = false
  @Option(help: .init("A container.", valueName: "container")) var container: String?
  @Option(
    help: .init(
      """
      What runs the container: podman, docker, nerdctl, runc, crun (default: the first that runs it); for \
      --pods: podman, docker, crictl (default: the first that is installed).
      """, valueName: "program"))
  var runtime: String?
  @Option(
    help: .init("All processes of a cgroup, as /proc/PID/cgroup names it.", valueName: "path"),
    completion: .directory)
  var cgroup: String?

  var count: Int { [pid != nil, unit != nil, container != nil, cgroup != nil].filter { $0 }.count }

  func validate() throws {
    if user, unit == nil { throw ValidationError("--user: only with --unit") }
  }

  func find() throws(Failure) -> AdoptedProcess {
    if let pid { return try AdoptedProcess(pid: pid) }
    if let unit { return try AdoptedProcess(unit: unit, ofUser: user) }
    if let container { return try AdoptedProcess(container: container, runtime: runtime) }
    return try AdoptedProcess(cgroup: cgroup ?? "/")
  }
}

/// Its name and how it is to live.
struct AdoptOptions: ParsableArguments {
  @Option(help: .init("Its name (default: that of the unit, container or command).", valueName: "name"))
  var name: String?
  @OptionGroup var life: LifeOptions

  var isEmpty: Bool { name == nil && life.given.list.isEmpty }

  func settings() throws(Failure) -> ProgramSettings { try life.given.request(name: name).settings }
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
