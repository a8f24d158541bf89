import LullChannel
import LullWire

/// The check of the files of installed programs.
enum InstalledCheck {
  static func run() -> [CheckReport] {
    guard let folder = InstalledFolder.ofThisUser, let names = try? folder.names() else { return [] }
    return names.compactMap { name in
      do throws(Failure) {
        _ = try InstalledProgram(name)
        return nil
      } catch {
        return CheckReport(
          name: "installed \(name)", .limited, error.message ?? "",
          mend: "edit \(folder.path(of: name)), or lull remove \(name)")
      }
    }
  }
}
