import LullSystem
import LullWire

extension AdoptedProcess {
  /// Asks lulld to adopt it; returns the line that tells it.
  func adopt(
    _ settings: ProgramSettings, as given: String?, isDryRun: Bool = false, startsDaemon: Bool = true
  ) throws(Failure) -> String {
    var connection = try startsDaemon ? Daemon.connectStarting(boots: false) : Daemon.connect()
    let adopted = try adopt(settings, as: given, isDryRun: isDryRun, through: &connection)
    let what = isDryRun ? "watched" : "adopted"
    return "\(adopted.name): \(what), pid \(adopted.pid); \"lull release \(adopted.name)\" lets it go\n"
  }

  /// Returns the name that it got, and the number of its process.
  func adopt(
    _ settings: ProgramSettings, as given: String?, isDryRun: Bool, through connection: inout Connection
  ) throws(Failure) -> (name: String, pid: String) {
    var settings = settings
    if settings.modes.isEmpty { settings.modes = .voip }
    if let watchdog, !isDryRun { try wake(&settings, for: watchdog) }
    // Two units of one template differ in what stands behind the "@".
    let usual = ProgramName.derived(fromPath: name)
    let request = Request.Adopt(kind, name: given ?? usual, settings, origin: origin, isDryRun: isDryRun)
    let pidfd = pidfd
    let ok = try connection.overRestart { (connection) throws(Failure) in
      try connection.ask(.adopt(request), descriptor: pidfd).ok
    }
    return (try readable(ok.string(.name)), ok[.pid] ?? "?")
  }

  /// The same; nil where it is adopted already, as it is when somebody starts to follow it anew.
  func adoptOnce(
    _ settings: ProgramSettings, as given: String?, startsDaemon: Bool = true
  ) throws(Failure) -> String? {
    try isAdopted() ? nil : adopt(settings, as: given, startsDaemon: startsDaemon)
  }

  private func isAdopted() throws(Failure) -> Bool {
    do throws(Failure) {
      var connection = try Daemon.connect()
      let programs = try connection.ask(.status(name: nil)).records(ProgramItem.self)
      return programs.contains { $0.adopts != nil && $0.pids.contains(Int64(pid)) }
    } catch .noDaemon {
      return false
    }
  }

  /// The path of the cgroup that it had before it was adopted; nil when it has ended.
  var home: String? {
    guard let path = try? Process.cgroupPath(of: pid) else { return nil }
    let parts = path.split(separator: "/")
    return "/" + (path.hasSuffix(".program") ? parts.dropLast(2) : parts[...]).joined(separator: "/")
  }

  private func wake(_ settings: inout ProgramSettings, for watchdog: Interval) throws(Failure) {
    guard let floor = Self.floor(for: watchdog) else {
      throw .failed(
        """
        \(origin ?? "it") owes systemd a sign of life every \
        \(DurationText.text(seconds: watchdog.seconds)) (WatchdogSec=): too often to sleep
        """)
    }
    switch settings.timers {
    case .floor(let given) where given <= floor: break
    default: settings.timers = .floor(floor)
    }
  }

  /// How often its timers wake it at most; nil where that is not often enough. Its own timer for the sign of
  /// life runs twice in the time of the watchdog (sd_watchdog_enabled(3)). What wakes it just before that is
  /// due puts the wake for it off by the whole floor.
  static func floor(for watchdog: Interval) -> Interval? {
    guard watchdog.scaled(by: 1, over: 2) >= Bounds.timerFloors.lowerBound else { return nil }
    return watchdog.scaled(by: 1, over: 4).clamped(to: Bounds.timerFloors)
  }
}
