import LullChannel
import LullSystem

/// The programs that lulld has frozen, as its guard lets them go without it. The guard touches nothing of a
/// program that could block it.
struct FrozenPrograms {
  private let root: String?

  init(root: String?) { self.root = root }

  /// Below `LULL_CGROUP_ROOT`, else below this process's own cgroup in the v2 hierarchy.
  static func root(runtimeDirectory: String, override: String?) throws(SystemError) -> String {
    let base: String
    if let override {
      base = override
    } else {
      let own = try CgroupMount.ownPath()
      base = try CgroupMount.find() + (own == "/" ? "" : own)
    }
    return "\(base)/lull-\(RuntimeDirectory.number(of: runtimeDirectory))"
  }

  /// Thaws the directory, in case the record is gone.
  func thawCgroups() {
    var released = Leftovers.Released()
    if let root { Leftovers.release(root: root, &released) }
  }

  /// The record stays while lulld lives, since lulld goes on with it.
  func thawAll(forgetting: Bool = false) {
    thawCgroups()
    Leftovers().release(forgetting: forgetting)
  }

  func beginRecord() { StandardErrorLog.guardian.ignoring(.removed, try Leftovers().begin(root: root)) }
}
