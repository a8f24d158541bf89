import LullChannel
import LullSystem
import LullWire

/// The start of an installed program for a person. lulld does it, so that the program has the same
/// environment at each start, whoever asks for it.
enum InstalledStart {
  /// The time that a launch may take until it counts as failed, and the way of that news, in nanoseconds.
  private static let patience: Int64 = 65_000_000_000

  /// A force-quit of the program is forgotten.
  static func start(_ name: String, _ look: StartLook = StartLook()) throws(Failure) {
    // An error is told here, with its line, and not as the failure of a launch.
    let isAdopted = try InstalledProgram(name).file.adoption != nil
    var connection = try Daemon.connectStarting(wanted: name)
    let deadline = Clock.boottime() + patience
    var report = try ask(.installed(name: name, start: true), of: name, &connection)
    while report.state == .starting, Clock.boottime() < deadline {
      Daemon.pause()
      report = try ask(.installed(name: name), of: name, &connection)
    }
    if isAdopted, report.state == .running {
      return try Output.say("\(name): adopted, pid \(DetachedPrograms.pid(of: name, &connection) ?? 0)\n")
    }
    if report.state == .running, try ranBefore(name, &connection) { return try tellRunning(name) }
    try tell(report, look, over: &connection)
  }

  /// True for a program whose first process is older than this one. A daemon that this process has started
  /// may have taken it back, or started it: it says of both that they run.
  private static func ranBefore(_ name: String, _ connection: inout Connection) throws(Failure) -> Bool {
    guard let pid = try DetachedPrograms.pid(of: name, &connection),
      let first = try? ProcessIdentity.current(Int32(clamping: pid)),
      let own = try? ProcessIdentity.current(Identity.pid())
    else { return false }
    return first.start < own.start
  }

  private static func tell(
    _ report: InstalledReport, _ look: StartLook, over connection: inout Connection
  ) throws(Failure) {
    let name = report.name
    switch report.state {
    case .quit: throw .failed("\(name) was quit while it was started")
    case .starting: throw .failed("\(name) is still being started; see \"lull list\"")
    case .running, .ended, .waiting:
      let pid = try DetachedPrograms.pid(of: name, &connection)
      let end = try look.end(of: name, pid: pid.map { Int32(clamping: $0) })
      if end == nil, report.state == .waiting { fallthrough }
      try look.tell(name, pid: pid, end: end)
    case .failed, .misconfigured, nil:
      let reason = report.text.map(ExplanationText.sentence) ?? "see \"lull logs \(name)\" and \"lull log\""
      let next = report.dueInSeconds.map { "; next try in \(DurationText.text(seconds: $0))" } ?? ""
      throw .failed("\(name) cannot be started: \(reason)\(next)")
    }
  }

  static func tellRunning(_ name: String) throws(Failure) {
    try Output.say(DetachedPrograms.runsAlready(name) + "\n")
  }

  private static func ask(
    _ request: Request, of name: String, _ connection: inout Connection
  ) throws(Failure) -> InstalledReport {
    do throws(Failure) {
      let items = try connection.ask(request).records(InstalledItem.self)
      if let item = items.first(where: { $0.name == name }) { return InstalledReport(item) }
    } catch .refused(.noSuchProgram, let text) where InstalledProgram.holds(name) {
      throw .failed("lulld looks in another folder (XDG_CONFIG_HOME or LULL_CONFIG_DIR): \(text)")
    }
    throw .failed("lulld does not know \(name); see \"lull list\"")
  }
}

/// The start of lulld with the machine, by which installed programs come back: the unit of `Tools/install`,
/// and for a user a service manager that runs without a login.
enum BootStart {
  static let withoutSystemd = "have \"lull daemon start\" run when the machine starts"

  /// The commands that are missing; none where lulld starts with the machine, and nil where no systemd runs.
  static var missing: [String]? {
    let root = Identity.environment("LULL_SYSTEM_ROOT") ?? ""
    guard Files.exists(root + "/run/systemd/system") else { return nil }
    guard Identity.uid() != 0 else {
      let isEnabled = Files.exists(root + "/etc/systemd/system/multi-user.target.wants/lull.service")
      return isEnabled ? [] : ["systemctl enable lull"]
    }
    var missing: [String] = []
    let folders = [root + "/etc/systemd/user"] + (ownFolder.map { [$0 + "/systemd/user"] } ?? [])
    if !folders.contains(where: { Files.exists($0 + "/default.target.wants/lull.service") }) {
      missing.append("systemctl --user enable lull")
    }
    let user = Identity.environment("USER") ?? ""
    if user.isEmpty || !Files.exists(root + "/var/lib/systemd/linger/" + user) {
      missing.append("loginctl enable-linger")
    }
    return missing
  }

  private static var ownFolder: String? {
    if let given = Identity.environment("XDG_CONFIG_HOME"), given.hasPrefix("/") { return given }
    return Identity.home().map { $0 + "/.config" }
  }

  static var hint: String? {
    guard let commands = missing else { return "it does not start with the machine yet: \(withoutSystemd)" }
    guard !commands.isEmpty else { return nil }
    return "it does not start with the machine yet: \(commands.joined(separator: "; "))"
  }
}
