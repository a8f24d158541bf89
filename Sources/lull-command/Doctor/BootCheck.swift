import LullChannel
import LullWire

/// The check that installed programs come back when the machine starts.
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
