import LullChannel
import LullProgram
import LullSystem
import LullWire

enum DaemonChecks {
  static func run() -> [CheckItem] {
    let directory = runtimeDirectory()
    guard directory.result != .no else { return [directory] }
    return [directory] + daemon()
  }

  /// The directory of the cgroups that the daemon makes, by its own check; nil when there is none.
  static func cgroupRoot(in checks: [CheckItem]) -> String? {
    guard let freezer = checks.first(where: { $0.name == "daemon freezer" && $0.result == .yes }),
      freezer.detail.hasPrefix("/")
    else { return nil }
    return freezer.detail
  }

  private static func runtimeDirectory() -> CheckItem {
    let name = "runtime-directory"
    let path: String
    do { path = try RuntimeDirectory.ensure() } catch {
      return CheckItem(
        name: name, .no, "\(error)", mend: "set LULL_RUNTIME_DIR to a directory of your own with mode 0700")
    }
    do throws(SystemError) { try StateCheck.write(in: path) } catch {
      return CheckItem(
        name: name, .limited, "\(path) cannot be written (\(error.message)): no daemon can start",
        mend: "make room, or set LULL_RUNTIME_DIR to a directory of your own with room")
    }
    return CheckItem(name: name, .yes, path)
  }

  private static func daemon() -> [CheckItem] {
    do throws(Failure) {
      var connection = try Daemon.connect()
      let hello = try connection.ask(.hello()).ok
      let items = try connection.ask(.doctor).items
      do {
        // The daemon may be allowed more or less than this process.
        return try [state(hello)] + items.records(CheckItem.self).map(\.ofDaemon)
      } catch {
        throw .unreadable(error)
      }
    } catch .noDaemon {
      return [GuardCheck.run()]
    } catch {
      return [
        CheckItem(
          name: "daemon", .no, error.message ?? "does not answer", mend: "end lulld and start it again")
      ]
    }
  }

  private static func state(_ hello: Message) -> CheckItem {
    let version = hello[.version]
    let detail = "lulld \(version ?? "of unknown version"), pid \(hello[.pid] ?? "unknown")"
    guard let version, version != Version.current else { return CheckItem(name: "daemon", .yes, detail) }
    return CheckItem(
      name: "daemon", .limited, "\(detail); lull is \(Version.current)",
      mend: OtherVersion.remedy)
  }
}

extension CheckItem {
  fileprivate var ofDaemon: CheckItem { CheckItem(name: "daemon \(name)", result, detail, mend: mend) }
}
