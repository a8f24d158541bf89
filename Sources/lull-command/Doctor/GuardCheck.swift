import LullChannel
import LullProgram
import LullSystem
import LullWire

/// The check that a daemon can be started where none runs: by lull-guard, which starts lulld.
enum GuardCheck {
  private static let mend = "install lulld and lull-guard beside lull, or name lull-guard in LULL_GUARD"

  static func run() -> CheckReport {
    let program = DaemonLauncher.program()
    let version: String
    do {
      version = try self.version(of: program)
      // The guard starts the lulld that is beside it.
      if program == (try OtherProgram.sibling(DaemonLauncher.guardName)) {
        _ = try self.version(of: OtherProgram.sibling("lulld"))
      }
    } catch {
      return report(.no, "none runs, and none can be started: \(error)")
    }
    guard version == Version.text else {
      return report(
        .limited, "none runs, and lull-guard is of another version, not \(Version.text): \(version)")
    }
    return CheckReport(name: "daemon", .yes, "not running; \"lull run\" starts it")
  }

  private struct Useless: Error, CustomStringConvertible { let description: String }

  private static func version(of program: String) throws -> String {
    do throws(SystemError) {
      let (text, status) = try OtherProgram.output(of: [program, "--version"])
      if status == .exited(0), let line = text.split(separator: "\n").first { return String(line) }
    } catch {
      let isMissing = error.isNoSuchFile && !program.contains("/")
      throw Useless(description: "\(program): \(isMissing ? "not found in PATH" : error.message)")
    }
    throw Useless(description: "\(program) does not tell its version")
  }

  private static func report(_ result: Vocabulary.CheckResult, _ detail: String) -> CheckReport {
    CheckReport(name: "daemon", result, detail, mend: mend)
  }
}
