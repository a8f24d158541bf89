import LullChannel
import LullSystem
import LullWire

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
