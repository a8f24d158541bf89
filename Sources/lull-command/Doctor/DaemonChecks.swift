import LullChannel
import LullWire

/// The checks of the runtime directory and of the daemon, with the daemon's own checks.
enum DaemonChecks {
  static func run() -> [CheckReport] {
    let directory = runtimeDirectory()
    guard directory.result == .yes else { return [directory] }
    return [directory] + daemon()
  }

  private static func runtimeDirectory() -> CheckReport {
    let name = "runtime-directory"
    do {
      return CheckReport(name: name, .yes, try RuntimeDirectory.ensure())
    } catch {
      return CheckReport(
        name: name, .no, "\(error)", mend: "set LULL_RUNTIME_DIR to a directory of your own with mode 0700")
    }
  }

  private static func daemon() -> [CheckReport] {
    do throws(Failure) {
      var connection = try Daemon.connect()
      let hello = try connection.ask(.hello).ok
      let items = try connection.ask(.doctor).items
      let detail = "lulld \(hello[.version] ?? "of unknown version"), pid \(hello[.pid] ?? "unknown")"
      do {
        return [CheckReport(name: "daemon", .yes, detail)]
          + (try items.read(.check, CheckReport.init(daemon:)))
      } catch {
        throw .unreadable(error)
      }
    } catch .noDaemon {
      return [CheckReport(name: "daemon", .yes, "not running; \"lull run\" starts it")]
    } catch {
      return [
        CheckReport(
          name: "daemon", .no, error.message ?? "does not answer", mend: "end lulld and start it again")
      ]
    }
  }
}
