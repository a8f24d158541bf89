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
    let guess = UnknownProgram.guess(name, running: names).map { "no program \"\(name)\"; \($0)" }
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
    do throws(Failure) {
      let programs = try connection.ask(.status(name: name)).records(ProgramItem.self)
      return programs.first.map { $0.pids.first ?? 0 }
    } catch .refused(.noSuchProgram, _) {
      return nil
    }
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

/// The look at a program that somebody has just started: a start that dies is no start.
struct StartLook {
  /// The tick of the clock of files, in nanoseconds: what is written may be dated that much earlier.
  private static let tick: Int64 = 10_000_000
  /// The most characters of its last line that are told.
  private static let longest = 200
  /// The time that a program has which is asked to end, and the way of that news, in nanoseconds.
  private static let endingTime: Int64 = 10_000_000_000

  /// A moment before the start, in nanoseconds of the wall clock.
  private let begunAt = Clock.realtime()
  private let hasLines: Bool
  private var time: Interval { hasLines ? Bounds.keptProving : Bounds.startProving }

  /// `name`: of a program that is to go on with the lines that are kept for it, if any are. A command that
  /// does not take them over ends at once, since its ports are in use.
  init(linesOf name: String? = nil) { hasLines = name.map { Self.areKept(of: $0) } ?? false }

  private static func areKept(of name: String) -> Bool {
    let items = try? Daemon.ask(.lines(name: name, all: false)).items
    return items?.contains { $0[.kept] != nil } ?? false
  }

  func end(of name: String) throws(Failure) -> EndedItem? {
    var deadline = Clock.boottime() + time.nanoseconds
    if let keeper = try? KeeperConnection(name) {
      keeper.send(.watch)
      var end = try keeper.end(within: time.nanoseconds)
      if end == nil, leavesLines(name) {
        deadline = Clock.boottime() + Self.endingTime
        end = try keeper.end(within: Self.endingTime)
      }
      guard end != nil else { return nil }
    }
    var connection = try Daemon.connectStarting()
    while true {
      let end = try ProgramChange.end(of: name, after: Double(begunAt) / 1e9, &connection)
      // Other processes of it end a moment after the first one, or go on: then it lives.
      guard end == nil, Clock.boottime() < deadline else { return end }
      Daemon.pause()
    }
  }

  /// True for a command that does not take its lines: lulld has asked it to end, which may take a while.
  private func leavesLines(_ name: String) -> Bool {
    guard hasLines else { return false }
    let request = Request.log(
      follow: false, last: nil, name: name, since: Interval(nanoseconds: begunAt - Self.tick))
    let items = (try? Daemon.ask(request).items) ?? []
    return items.contains { $0[.what] == EndWords.linesUntaken }
  }

  /// Prints the name of a program that lives, or has done its work already. Any other end is a failure.
  func tell(_ name: String, pid: Int64?, end: EndedItem?) throws(Failure) {
    let sentence = end.map { hasLines ? lost(name, $0) : died(name, $0) }
    if let sentence, hasLines || end?.status != 0 { throw .failed(sentence) }
    try Output.write("\(Printable.text(name))\(pid.map { " (pid \($0))" } ?? "")\n")
    if let sentence { Output.complain(sentence) }
  }

  private func lost(_ name: String, _ end: EndedItem) -> String {
    guard end.reason != EndWords.linesUntaken else {
      return "\(name) did not take its lines, and is started without them: have it take LISTEN_FDS, or start "
        + "it without --keep-lines (\"lull why \(name)\", docs/KEPT-LINES.md)"
    }
    let rest =
      Self.areKept(of: name)
      ? "they wait for its next start" : "they are let go, and a command is started once without them"
    let how = "\(EndedText.how(end)) within \(DurationText.short(seconds: time.seconds))"
    return "\(name) \(how) of its start with its lines; \(rest) (\"lull why \(name)\")"
  }

  private func died(_ name: String, _ end: EndedItem) -> String {
    let status = end.exitStatus
    let how = if case .exited = status { "exit \(status.words)" } else { status.words }
    let line = lastLine(of: name).map { ": \($0)" } ?? ""
    let items = (try? Daemon.ask(.installed(name: name)).items) ?? []
    let installed = (try? items.records(InstalledItem.self))?.first
    let next = installed.map { InstalledText.next(InstalledReport($0)) } ?? ""
    let again = next.isEmpty ? "" : "; started again \(next)"
    return "\(name) ended at once (\(how))\(line)\(again); see \"lull logs \(name)\""
  }

  /// Nil when this life has written none. The file of `--output` may have the lines of others, and nothing of
  /// this life.
  private func lastLine(of name: String) -> String? {
    guard let path = KeeperFolders.output(of: name), let file = FileVersion(path),
      file.modified >= begunAt - Self.tick, let line = KeeperFolders.lastLines(1, of: name).last,
      LifeMark.moment(Array(line.utf8)[...]) == nil
    else { return nil }
    return String(line.prefix(Self.longest))
  }
}
