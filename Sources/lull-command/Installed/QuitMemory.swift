import LullChannel
import LullSystem
import LullWire

/// The memory of the next daemon: which installed programs were quit.
enum QuitMemory {
  /// The time that the disk may take, in nanoseconds.
  private static let patience: Int64 = 2_000_000_000

  /// Has a program that is installed be one that was quit: the daemon knows it from then on, or the file that
  /// the next one reads.
  static func note(_ name: String) {
    guard InstalledProgram.holds(name), !tellDaemon(name) else { return }
    // The race: a daemon that begins may have read the file before.
    defer { _ = tellDaemon(name) }
    do throws(SystemError) {
      try InstalledStandings.noteQuit(name)
    } catch {
      Output.complain(
        "that \(name) was quit cannot be written (\(error)), and the next daemon starts it: make room there, "
          + "and quit it again then")
    }
  }

  /// For a program that does not run, and is quit.
  static func words(_ name: String) -> String {
    InstalledProgram.holds(name)
      ? "does not run, and is not started again until \"lull start \(name)\""
      : "does not run; its kept lines are closed"
  }

  /// Quits programs that do not run while no daemon does: the next one does not start those that are
  /// installed.
  static func quitEnded(_ names: [String]) throws(Failure) {
    let quit = InstalledStandings.quit()
    try KeptPrograms.each(names) { (name) throws(Failure) in
      guard ProgramName.isValid(name) else { throw .noName(name) }
      guard UnknownProgram.isStartable(name) else { throw .noDaemon }
      guard InstalledProgram.holds(name) else {
        return try Output.say(UnknownProgram.text(name, running: []) + "\n")
      }
      guard !quit.contains(name) else { return try Output.say("\(name) was quit already\n") }
      note(name)
      try Output.say("\(name) \(words(name))\n")
    }
  }

  /// False when no daemon runs.
  private static func tellDaemon(_ name: String) -> Bool {
    do throws(Failure) {
      _ = try Daemon.ask(.quit(name: name, now: false))
      return true
    } catch .refused {
      // It knows that already.
      return true
    } catch {
      return false
    }
  }

  /// Warns of installed programs that were quit where that cannot be written: the next daemon starts them.
  static func check(_ names: [String]) throws(Failure) {
    let installed = names.filter(InstalledProgram.holds)
    guard !installed.isEmpty else { return }
    var connection = try Daemon.connect()
    let deadline = Clock.boottime() + patience
    var unwritten: [String] = [], why = ""
    for name in installed {
      guard let report = try report(of: name, &connection, until: deadline), report.state == .quit else {
        continue
      }
      guard let reason = report.unwritten ?? (report.isBeingWritten ? "the disk is slow" : nil) else {
        continue
      }
      (why, unwritten) = (reason, unwritten + [Printable.text(name)])
    }
    guard !unwritten.isEmpty else { return }
    let subject = unwritten.joined(separator: ", ")
    let verb = unwritten.count == 1 ? "was" : "were"
    Output.complain(
      "that \(subject) \(verb) quit is not on the disk (\(Printable.text(why))) "
        + "and is forgotten when lulld and lull-guard end: make room there, lulld tries again every 10 s")
  }

  /// The report as soon as the disk has answered; nil for a program that is not installed any more.
  private static func report(
    of name: String, _ connection: inout Connection, until deadline: Int64
  ) throws(Failure) -> InstalledReport? {
    while true {
      let items: [Message]
      do throws(Failure) {
        items = try Daemon.overRestart(&connection) { (connection) throws(Failure) in
          try connection.ask(.installed(name: name)).items
        }
      } catch .refused(.noSuchProgram, _) {
        return nil
      }
      let report: InstalledReport?
      do { report = try items.read(.installed, InstalledReport.init).first } catch {
        throw .unreadable(error)
      }
      guard report?.isBeingWritten == true, Clock.boottime() < deadline else { return report }
      Daemon.pause()
    }
  }
}
