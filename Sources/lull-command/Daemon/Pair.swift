import LullChannel
import LullSystem

/// lulld and lull-guard after an upgrade: which of them run the programs of a folder.
struct Pair {
  private let daemon: Int64
  private let guardian: Int64?

  init(_ daemon: DaemonReport) { (self.daemon, guardian) = (daemon.pid, daemon.guardPid) }

  /// The processes that do not run the programs of the folder, as one text line; nil when both do, or cannot
  /// be asked.
  func text(old folder: String) -> String? {
    let programs = ["lulld", DaemonLauncher.guardName].compactMap { Self.identity(of: "\(folder)/\($0)") }
    func isOld(_ pid: Int64?) -> Bool {
      // Started by hand, lulld is its own guard.
      pid.flatMap { Self.identity(of: "/proc/\($0)/exe") }.map { !programs.contains($0) } ?? false
    }
    let old = [("lulld", Optional(daemon)), (DaemonLauncher.guardName, guardian)].filter { isOld($0.1) }
    guard !old.isEmpty else { return nil }
    let names = old.map { name, pid in "\(name) (pid \(pid ?? 0))" }.joined(separator: " and ")
    return "not upgraded: \(names) \(old.count == 1 ? "runs" : "run") the program from before, because a "
      + "process of Lull has died meanwhile, or the new one does not start; the programs go on"
  }

  private static func identity(of path: String) -> FileIdentity? {
    guard let file = try? Files.openRegular(Array(path.utf8)) else { return nil }
    defer { file.close() }
    return try? .of(file.raw)
  }
}
