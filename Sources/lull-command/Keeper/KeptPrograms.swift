import LullSystem
import LullWire

/// What is known of the programs that were started by `lull run --detach`.
enum KeptPrograms {
  /// The time that lulld may take to give a name again after its program has ended, in nanoseconds.
  private static let patience: Int64 = 5_000_000_000

  /// The failure for a name that no program has, or none that fits.
  static func unknown(_ name: String) -> Failure {
    guard ProgramName.isValid(name) else { return .noName(name) }
    if let hint = hint(name) { return .failed("\(name) does not run; \(hint)") }
    if let items = try? Daemon.ask(.status(name: name)).items, !items.isEmpty {
      return .failed("\(name) is not a program of \"lull run --detach\": its output is where it was started")
    }
    return .failed("no program was started as \"\(name)\" by \"lull run --detach\"; see \"lull status\"")
  }

  /// The sentence that a program which does not run can be started; nil when it cannot.
  static func hint(_ name: String) -> String? {
    let record = KeeperFolders.ofThisUser.record(of: name)
    guard ProgramName.isValid(name), InstalledProgram.holds(name) || record.map(Files.exists) == true else {
      return nil
    }
    return "\"lull start \(name)\" starts it again"
  }

  /// The record of a name.
  static func record(of name: String) throws(Failure) -> ProgramRecord {
    guard ProgramName.isValid(name), let path = KeeperFolders.ofThisUser.record(of: name),
      let record = try ProgramRecord.load(path)
    else { throw unknown(name) }
    return record
  }

  /// True when the daemon that runs knows the program.
  static func runs(_ name: String) throws(Failure) -> Bool {
    do throws(Failure) {
      return try Daemon.ask(.status(name: name)).items.contains { $0.itemKind == .program }
    } catch .noDaemon {
      return false
    } catch .refused(.noSuchProgram, _) {
      return false
    }
  }

  /// Does something with each name. One that fails does not keep the others from their turn.
  static func each(_ names: [String], _ body: (String) throws(Failure) -> Void) throws(Failure) {
    guard names.count > 1 else { return try body(names[0]) }
    var failed = 0
    for name in names {
      do throws(Failure) {
        try body(name)
      } catch {
        if let message = error.message { Output.complain(message) }
        failed += 1
      }
    }
    if failed > 0 { throw .status(failed == names.count ? 1 : 2) }
  }

  /// Starts a program whose predecessor has just ended.
  static func startWhenFree(_ record: ProgramRecord) throws(Failure) {
    if let name = record.request.name { waitUntilFree(name) }
    try KeeperLaunch.start(record)
  }

  /// Waits until lulld gives a name again: other processes of the program that has ended may still end.
  static func waitUntilFree(_ name: String) {
    let deadline = Clock.boottime() + patience
    while Clock.boottime() < deadline, (try? runs(name)) == true { Daemon.pause() }
  }
}
