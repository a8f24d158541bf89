import LullSystem
import LullWire

/// The check that this process, and a daemon that it starts, may open enough files.
enum LimitCheck {
  /// Below this the other checks fail for want of descriptors, and would blame something else.
  static let fewest = 32
  /// The fewest with which lulld starts, and the fewest with which several programs fit.
  private static let forDaemon = 64, forSeveral = 256
  private static let mend = "ulimit -n 4096, or LimitNOFILE=4096 in the service that starts it"

  /// The check, after the limit was raised as far as it goes; `isEnough` is false when nothing else can be
  /// tried.
  static func run() -> (report: CheckItem, isEnough: Bool) {
    let limit: Int
    do {
      limit = try Limits.raiseOpenFiles()
    } catch {
      return (report(.limited, "the limit is not known (\(error))"), true)
    }
    guard limit >= forDaemon else {
      return (report(.no, "only \(limit) files may be open, and lulld needs \(forDaemon)"), limit >= fewest)
    }
    guard limit >= forSeveral else {
      return (report(.limited, "only \(limit) files may be open: enough for a few programs"), true)
    }
    return (CheckItem(name: "open-files", .yes, "\(limit) may be open"), true)
  }

  private static func report(_ result: Vocabulary.CheckResult, _ detail: String) -> CheckItem {
    CheckItem(name: "open-files", result, detail, mend: mend)
  }
}
