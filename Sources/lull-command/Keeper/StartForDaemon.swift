import LullWire

enum StartForDaemon {
  /// Nil where the program runs already.
  ///
  /// The race: the daemon that starts the program was stopped since. No other one is started then.
  static func record(of name: String, _ launch: Launch) throws(Failure) -> ProgramRecord? {
    var connection = try Daemon.connect()
    // It may have come back by itself just now.
    guard try !KeptPrograms.runs(name, &connection) else {
      // It is not launched for the link, and so gets it now.
      if let url = launch.url { _ = try Link.open(url, in: name) }
      return nil
    }
    guard !InstalledProgram.holds(name) else { return try checked(name).record(launch) }
    var record = try KeptPrograms.record(of: name)
    record.request.launch = launch
    return record
  }

  private static func checked(_ name: String) throws(Failure) -> InstalledProgram {
    do throws(Failure) { return try InstalledProgram(name) } catch {
      if let message = error.message { Output.complain(message) }
      throw .status(Launch.mistakenStatus)
    }
  }
}
