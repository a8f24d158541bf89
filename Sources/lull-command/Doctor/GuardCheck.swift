import LullChannel
import LullProgram
import LullSystem
import LullWire

/// The check that a daemon can be started where none runs: by lull-guard, which starts lulld.
enum GuardCheck {
  private static let mend = "install lulld and lull-guard beside lull, or name lull-guard in LULL_GUARD"

  static func run() -> CheckItem {
    let program = DaemonLauncher.program()
    let version: String
    do throws(Failure) {
      version = try OtherProgram.version(of: program)
      // The guard starts the lulld that is beside it.
      if program == (try? Process.sibling(DaemonLauncher.guardName)) {
        if let daemon = try? Process.sibling("lulld") { _ = try OtherProgram.version(of: daemon) }
      }
    } catch {
      return report(.no, "none runs, and none can be started: \(error.message ?? "")")
    }
    guard version == Version.text else {
      return report(
        .limited, "none runs, and lull-guard is of another version, not \(Version.text): \(version)")
    }
    return CheckItem(name: "daemon", .yes, "not running; \"lull run\" starts it")
  }

  private static func report(_ result: Vocabulary.CheckResult, _ detail: String) -> CheckItem {
    CheckItem(name: "daemon", result, detail, mend: mend)
  }
}
