import LullChannel
import LullProgram
import LullWire

enum DaemonChecks {
  static func run() -> [CheckReport] {
    let directory = runtimeDirectory()
    guard directory.result == .yes else { return [directory] }
    return [directory] + daemon()
  }

  /// The directory of the cgroups that the daemon makes, by its own check; nil when there is none.
  static func cgroupRoot(in checks: [CheckReport]) -> String? {
    guard let freezer = checks.first(where: { $0.name == "daemon freezer" && $0.result == .yes }),
      freezer.detail.hasPrefix("/")
    else { return nil }
    return freezer.detail
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
      let hello = try connection.ask(.hello()).ok
      let items = try connection.ask(.doctor).items
      do {
        return [state(hello)]
          + (try items.read(.check, CheckReport.init(daemon:)))
      } catch {
        throw .unreadable(error)
      }
    } catch .noDaemon {
      return [GuardCheck.run()]
    } catch {
      return [
        CheckReport(
          name: "daemon", .no, error.message ?? "does not answer", mend: "end lulld and start it again")
      ]
    }
  }

  private static func state(_ hello: Message) -> CheckReport {
    let version = hello[.version]
    let detail = "lulld \(version ?? "of unknown version"), pid \(hello[.pid] ?? "unknown")"
    guard let version, version != Version.current else { return CheckReport(name: "daemon", .yes, detail) }
    return CheckReport(
      name: "daemon", .limited, "\(detail); lull is \(Version.current)",
      mend: OtherVersion.remedy)
  }
}
