import LullChannel
import LullSystem
import LullWire

/// The checks of what outlives a program and its daemon: logs, records, the journal, installed programs.
enum FileChecks {
  /// A full disk takes a small file now and then.
  private static let probe = [UInt8](repeating: 0, count: 1 << 16)
  private static let lost = "what programs write is lost, and \"lull start\" does not know them"

  static func run() -> [CheckItem] { [state()] + installed() + [boot()] }

  static func write(in folder: String) throws(SystemError) {
    let file = "\(folder)/.lull-doctor-\(Identity.pid())"
    defer { try? Files.unlink(file) }
    try Files.replace(file, with: probe, durably: true)
  }

  private static func state() -> CheckItem {
    let name = "state-directory"
    guard let folder = StateDirectory.path() else {
      return CheckItem(name: name, .limited, "no home directory: \(lost)", mend: "set XDG_STATE_HOME")
    }
    do throws(SystemError) {
      if Files.exists(folder) { try StateDirectory.ensure(folder) }
      var existing = folder
      while !Files.exists(existing), let slash = existing.lastIndex(of: "/") {
        existing = String(existing[..<slash])
      }
      try write(in: existing)
      return CheckItem(name: name, .yes, folder)
    } catch {
      return CheckItem(
        name: name, .limited, "\(folder) cannot be written (\(error.message)): \(lost)",
        mend: "make room, or set XDG_STATE_HOME to a directory of your own")
    }
  }

  private static func installed() -> [CheckItem] {
    guard let folder = InstalledFolder.ofThisUser else { return [] }
    let contents: InstalledFolder.Contents
    do throws(SystemError) { contents = try folder.contents() } catch {
      return [
        CheckItem(
          name: "installed", .limited, "\(folder.path): cannot be read (\(error.message))",
          mend: "make it a folder of your own, which you may read")
      ]
    }
    let mistakes = contents.names.compactMap { mistake(in: $0, folder) }
    guard let line = PassedOverText.line(contents.passedOver) else { return mistakes }
    let remedy = PassedOverText.remedy(contents.passedOver, in: folder)
    let result: Vocabulary.CheckResult = remedy == nil ? .yes : .limited
    return mistakes + [CheckItem(name: "installed", result, "passed over: \(line)", mend: remedy)]
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

  /// Installed programs come back when the machine starts, if lulld does.
  private static func boot() -> CheckItem {
    let names = (try? InstalledFolder.ofThisUser?.names()) ?? []
    guard !names.isEmpty else {
      return CheckItem(name: "boot", .yes, "no program is installed, so none starts with the machine")
    }
    guard let missing = BootStart.missing else {
      return CheckItem(
        name: "boot", .limited, "no systemd runs here that would start lulld", mend: BootStart.withoutSystemd)
    }
    guard missing.isEmpty else {
      return CheckItem(
        name: "boot", .limited, "lulld does not start with the machine, nor what is installed",
        mend: missing.joined(separator: "; "))
    }
    return CheckItem(name: "boot", .yes, "lulld starts with the machine, and what is installed with it")
  }
}
