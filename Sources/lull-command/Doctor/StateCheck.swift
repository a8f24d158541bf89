import LullChannel
import LullSystem
import LullWire

/// The check that what outlives a program and its daemon can be written: logs, records, the journal, ends.
enum StateCheck {
  /// A full disk takes a small file now and then.
  private static let probe = [UInt8](repeating: 0, count: 1 << 16)

  static func run() -> CheckItem {
    guard let folder = StateDirectory.path() else {
      return report(.limited, "no home directory: \(lost)", mend: "set XDG_STATE_HOME")
    }
    do throws(SystemError) {
      if Files.exists(folder) { try StateDirectory.ensure(folder) }
      try write(in: existing(folder))
      return report(.yes, folder)
    } catch {
      return report(
        .limited, "\(folder) cannot be written (\(error.message)): \(lost)",
        mend: "make room, or set XDG_STATE_HOME to a directory of your own")
    }
  }

  static func write(in folder: String) throws(SystemError) {
    let file = "\(folder)/.lull-doctor-\(Identity.pid())"
    defer { try? Files.unlink(file) }
    try Files.replace(file, with: probe, durably: true)
  }

  private static let lost = "what programs write is lost, and \"lull start\" does not know them"

  private static func existing(_ folder: String) -> String {
    var folder = folder
    while !Files.exists(folder), let slash = folder.lastIndex(of: "/") { folder = String(folder[..<slash]) }
    return folder
  }

  private static func report(
    _ result: Vocabulary.CheckResult, _ detail: String, mend: String? = nil
  ) -> CheckItem {
    CheckItem(name: "state-directory", result, detail, mend: mend)
  }
}
