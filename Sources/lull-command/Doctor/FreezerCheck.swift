import LullSystem
import LullWire

/// The check that a program can be frozen here: makes a cgroup, freezes a child in it, and removes both.
enum FreezerCheck {
  private static let patience: Int64 = 2_000_000_000
  private static let pollMilliseconds: Int32 = 1
  private static let fallback = "programs are stopped with SIGSTOP instead"
  private static let mend = """
    start lulld as a systemd user service with Delegate=yes or as root, or name a cgroup that you may \
    write in LULL_CGROUP_ROOT
    """

  /// The checks `cgroup-mount`, `cgroup` and `freezer`; the later ones only where the earlier ones succeed.
  /// `root` is where the daemon that runs makes its cgroups; nil when none runs.
  static func run(root: String?) -> [CheckItem] {
    let mount: String
    do {
      mount = try CgroupMount.find()
    } catch {
      let detail = "the v2 hierarchy is not mounted; \(fallback)"
      return [
        CheckItem(
          name: "cgroup-mount", .limited, detail, mend: "mount -t cgroup2 none /sys/fs/cgroup (as root)")
      ]
    }
    return [CheckItem(name: "cgroup-mount", .yes, "v2 at \(mount)")] + tryFreezer(mount, root)
  }

  private static func tryFreezer(_ mount: String, _ root: String?) -> [CheckItem] {
    let parent: String
    let cgroup: Cgroup
    do {
      parent = try place(mount, root)
      cgroup = try Cgroup.create(at: "\(parent)/lull-doctor-\(Identity.pid())")
    } catch {
      return [CheckItem(name: "cgroup", .limited, "none can be made (\(error)); \(fallback)", mend: mend)]
    }
    let made = CheckItem(name: "cgroup", .yes, "can be made in \(parent)")
    let frozen: CheckItem
    do {
      let duration = try freezeChild(in: cgroup)
      // A daemon that runs may have no hierarchy of its own, whatever this process can do.
      let use = root == nil ? "" : ", as what \"lull run\" starts can be"
      frozen =
        duration.map { CheckItem(name: "freezer", .yes, "a child was frozen in \($0)\(use)") } ?? hangs
    } catch {
      frozen = refused(error, parent)
    }
    do {
      try cgroup.remove()
    } catch {
      return [
        made, frozen, CheckItem(name: "cgroup-removal", .limited, "\(error)", mend: "rmdir \(cgroup.path)"),
      ]
    }
    return [made, frozen]
  }

  /// `lull run` clones its command into the cgroup, as this check does: who stands outside of a delegated
  /// hierarchy may make a cgroup there and yet start nothing in it.
  private static func refused(_ error: SystemError, _ parent: String) -> CheckItem {
    guard error.call.hasPrefix("clone3"), !error.isOutOfDescriptors else {
      return CheckItem(
        name: "freezer", .limited, "a child cannot be frozen (\(error)); \(fallback)", mend: mend)
    }
    return CheckItem(
      name: "freezer", .limited,
      "nothing can be started in \(parent) from this shell's cgroup (\(error)); \(fallback)",
      mend: "start lull from inside that hierarchy, or as root")
  }

  private static var hangs: CheckItem {
    CheckItem(
      name: "freezer", .limited, "a child did not freeze within 2 s; \(fallback)",
      mend: "see whether something in the kernel log holds it")
  }

  /// Beside the daemon's own directory where one runs, else where a daemon would make it.
  private static func place(_ mount: String, _ root: String?) throws(SystemError) -> String {
    if let slash = root?.lastIndex(of: "/"), let root { return String(root[..<slash]) }
    if let root = Identity.setting("LULL_CGROUP_ROOT") { return root }
    let own = try CgroupMount.ownPath()
    return own == "/" ? mount : mount + own
  }

  /// Nil when the freeze did not complete.
  private static func freezeChild(in cgroup: Cgroup) throws(SystemError) -> String? {
    let child = try TrialChild.start(cgroup: cgroup.directory)
    let result = Result { () throws(SystemError) in try freeze(cgroup) }
    child.end()
    return try result.get()
  }

  private static func freeze(_ cgroup: Cgroup) throws(SystemError) -> String? {
    let start = Clock.boottime()
    var now = start
    try cgroup.freeze()
    while try !cgroup.state().frozen {
      guard now - start < patience else {
        try cgroup.thaw()
        return nil
      }
      // The first read often comes before the kernel's report, whose notification is delayed by up to 10 ms.
      if now - start > 1_000_000 {
        _ = try Socket.poll(cgroup.events, .priority, timeoutMilliseconds: pollMilliseconds)
      }
      now = Clock.boottime()
    }
    let duration = DurationText.text(seconds: Double(Clock.boottime() - start) / 1e9)
    try cgroup.thaw()
    return duration
  }
}
