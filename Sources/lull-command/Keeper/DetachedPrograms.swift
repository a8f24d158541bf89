import LullChannel
import LullSystem
import LullWire

/// What is known of the programs that were started by `lull run --detach`.
enum DetachedPrograms {
  /// The time that lulld may take to give a name again after its program has ended, in nanoseconds.
  private static let patience: Int64 = 5_000_000_000

  /// For a name whose output or terminal is asked for.
  static func unknown(_ name: String) -> Failure {
    let running =
      UnknownProgram.isStartable(name)
      ? "nobody keeps the output of \(name): its keeper has died, or it was started without one; \"lull "
        + "restart \(name)\" starts it anew with one"
      : "\(name) is not a program of \"lull run --detach\": its output is where it was started"
    return missing(
      name, running: running, known: hint(name).map { "\(name) does not run; \($0)" },
      other: "no detached program \"\(name)\"; see \"lull status\" and \"lull list\"")
  }

  static func unstartable(_ name: String) -> Failure {
    missing(
      name, running: "\(name) runs and is not installed; start it again where it was started",
      other: "no program \"\(name)\" to start; \"lull list\" lists them, \"lull install\" adds one")
  }

  static func uninstalled(_ name: String, _ folder: InstalledFolder) -> Failure {
    let near = Spelling.nearest(to: name, among: (try? folder.names()) ?? [])
    let hint = near.map { "did you mean \"\($0)\"?" } ?? "\"lull list\" shows what is"
    return missing(
      name, running: "\(name) runs and is not installed; \"lull quit \(name)\" ends it",
      known: "\(name) is not installed; \(hint)")
  }

  /// The failure for a name that no program has, or none that fits.
  private static func missing(
    _ name: String, running: String, known: String? = nil, other: String = ""
  ) -> Failure {
    guard ProgramName.isValid(name) else { return .noName(name) }
    if let obstacle = InstalledFolder.ofThisUser?.obstacle(to: name) { return .failed("\(obstacle)") }
    if isRunning(name) { return .failed(running) }
    if let known { return .failed(known) }
    let names = (try? Daemon.ask(.status(name: nil)).programNames) ?? []
    let guess = UnknownProgram.nearest(to: name, running: names).map {
      ExplanationText.sentence(Explanation(.unknownProgram, name: name, text: $0))
    }
    return .failed(guess ?? other)
  }

  private static func isRunning(_ name: String) -> Bool {
    do throws(Failure) {
      var connection = try Daemon.connect()
      return try runs(name, &connection)
    } catch {
      return false
    }
  }

  /// The sentence that a program which does not run can be started; nil when it cannot.
  static func hint(_ name: String) -> String? {
    guard UnknownProgram.isStartable(name) else { return nil }
    // An installed one need not have run before.
    return "\"lull start \(name)\" starts it\(InstalledProgram.holds(name) ? "" : " again")"
  }

  static func record(of name: String) throws(Failure) -> ProgramRecord {
    guard ProgramName.isValid(name), let path = KeeperFolders.record(of: name),
      let record = try ProgramRecord.load(path)
    else { throw unstartable(name) }
    return record
  }

  static func runsAlready(_ name: String) -> String {
    "\(name) runs already; \"lull restart \(name)\" starts it anew"
  }

  static func runs(_ name: String, _ connection: inout Connection) throws(Failure) -> Bool {
    try pid(of: name, &connection) != nil
  }

  /// The first process of a program that runs; 0: its processes are not known.
  static func pid(of name: String, _ connection: inout Connection) throws(Failure) -> Int64? {
    let programs = try connection.askIfKnown(.status(name: name))?.records(ProgramItem.self)
    return programs?.first.map { $0.pids.first ?? 0 }
  }

  /// One that fails does not keep the others from their turn.
  static func each(_ names: [String], _ body: (String) throws(Failure) -> Void) throws(Failure) {
    guard names.count > 1 else { return try body(names[0]) }
    var failed = 0
    for name in names {
      do throws(Failure) {
        try body(name)
      } catch {
        for line in error.lines { Output.complain(line) }
        failed += 1
      }
    }
    if failed > 0 { throw .status(failed == names.count ? 1 : 2) }
  }

  /// The program of which somebody else has just made the same start, and that the name is reserved for until
  /// it runs; nil for a first start.
  static func startedByOther(_ request: Request.Run) -> KeeperMessage.Start? {
    guard request.launch != nil, let name = request.name, var connection = try? Daemon.connect() else {
      return nil
    }
    let deadline = Clock.boottime() + patience
    while Clock.boottime() < deadline {
      if let pid = (try? pid(of: name, &connection)) ?? nil {
        return .init(name: name, pid: Int32(clamping: pid), message: runsAlready(name))
      }
      Daemon.pause()
    }
    return nil
  }

  /// Waits until lulld gives a name again: other processes of the program that has ended may still end.
  static func waitUntilFree(_ name: String, _ connection: inout Connection) throws(Failure) {
    let deadline = Clock.boottime() + patience
    while try runs(name, &connection), Clock.boottime() < deadline { Daemon.pause() }
  }
}
