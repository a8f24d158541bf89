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

enum InstalledCheck {
  static func run() -> [CheckItem] {
    guard let folder = InstalledFolder.ofThisUser else { return [] }
    let contents: InstalledFolder.Contents
    do throws(SystemError) { contents = try folder.contents() } catch {
      return [
        CheckItem(
          name: "installed", .limited, "\(folder.path): cannot be read (\(error.message))",
          mend: "make it a folder of your own, which you may read")
      ]
    }
    return contents.names.compactMap { mistake(in: $0, folder) } + passedOver(contents, folder)
  }

  private static func mistake(in name: String, _ folder: InstalledFolder) -> CheckItem? {
    do throws(Failure) {
      _ = try InstalledProgram(name)
      return nil
    } catch {
      let remove = "lull remove \(name)"
      return CheckItem(
        name: "installed \(name)", .limited, error.message ?? "",
        mend: folder.isFile(name) ? "edit \(folder.path(of: name)), or \(remove)" : remove)
    }
  }

  private static func passedOver(
    _ contents: InstalledFolder.Contents, _ folder: InstalledFolder
  ) -> [CheckItem] {
    guard let line = PassedOverText.line(contents.passedOver) else { return [] }
    let remedy = PassedOverText.remedy(contents.passedOver, in: folder)
    return [
      CheckItem(
        name: "installed", remedy == nil ? .yes : .limited, "passed over: \(line)", mend: remedy)
    ]
  }
}

enum BootCheck {
  static func run() -> CheckItem {
    let names = (try? InstalledFolder.ofThisUser?.names()) ?? []
    guard !names.isEmpty else {
      return report(.yes, "no program is installed, so none starts with the machine")
    }
    guard let missing = BootStart.missing else {
      return report(.limited, "no systemd runs here that would start lulld", mend: BootStart.withoutSystemd)
    }
    guard missing.isEmpty else {
      return report(
        .limited, "lulld does not start with the machine, nor what is installed",
        mend: missing.joined(separator: "; "))
    }
    return report(.yes, "lulld starts with the machine, and what is installed with it")
  }

  private static func report(
    _ result: Vocabulary.CheckResult, _ detail: String, mend: String? = nil
  ) -> CheckItem {
    CheckItem(name: "boot", result, detail, mend: mend)
  }
}
