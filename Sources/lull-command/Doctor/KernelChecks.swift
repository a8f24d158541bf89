import LullSystem
import LullWire

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

enum RightsChecks {
  static func run() -> [CheckItem] { [alarm(), ptrace()] }

  private static func alarm() -> CheckItem {
    do {
      _ = try Timer(.boottimeAlarm)
      return CheckItem(name: "alarm-timer", .yes, "a keep-alive wakes a machine that is suspended")
    } catch {
      return CheckItem(
        name: "alarm-timer", .limited, "a keep-alive is late where the whole machine is suspended (\(error))",
        mend: "setcap cap_wake_alarm+ep lulld, or AmbientCapabilities=CAP_WAKE_ALARM in its service"
      )
    }
  }

  /// The check that a program's descriptors can be taken at the freeze.
  private static func ptrace() -> CheckItem {
    let scope = yamaScope()
    do {
      let child = try TrialChild.start()
      let result = Result { () throws(SystemError) in _ = try Process.getDescriptor(child.pidfd, number: 0) }
      child.end()
      try result.get()
    } catch {
      return CheckItem(
        name: "ptrace", .limited,
        "no descriptor can be taken (\(error), Yama scope \(scope)): only the library's programs are watched",
        mend: "sysctl kernel.yama.ptrace_scope=1 (as root), or give lulld CAP_SYS_PTRACE")
    }
    let limited = scope > 0 && !Identity.hasCapability(.systemPtrace)
    let rest = limited ? "; programs that lull did not start hand theirs over themselves" : ""
    return CheckItem(
      name: "ptrace", .yes, "descriptors of a child can be taken (Yama scope \(scope))\(rest)")
  }

  private static func yamaScope() -> Int {
    guard let bytes = try? Files.read("/proc/sys/kernel/yama/ptrace_scope", limit: 16) else { return 0 }
    return bytes.first.map { Int($0) - Int(UInt8(ascii: "0")) } ?? 0
  }
}

/// A child process that sleeps, for trials; ``end()`` kills and reaps it.
struct TrialChild: ~Copyable {
  private static let patience: Int32 = 2000
  /// The seconds after which the child ends by itself, should lull be killed meanwhile.
  private static let lifetime = "60"

  private let spawned: Spawned

  private init(_ spawned: consuming Spawned) { self.spawned = spawned }

  /// Waits until the child runs. `cgroup` is the descriptor of a cgroup's directory to start it in.
  static func start(cgroup: Int32? = nil) throws(SystemError) -> TrialChild {
    let root = try Files.openDirectory("/")
    var request = SpawnRequest(["sleep", lifetime])
    request.standardInput = root.raw
    request.group = .newSession
    request.cgroup = cgroup
    let child = TrialChild(try Process.spawn(request))
    if let error = try child.failure() {
      child.end()
      throw error
    }
    return child
  }

  private func failure() throws(SystemError) -> SystemError? {
    _ = try Socket.poll(spawned.execStatus.raw, .readable, timeoutMilliseconds: Self.patience)
    guard case .failed(let error) = try Process.execResult(spawned.execStatus.raw) else { return nil }
    return error
  }

  var pidfd: Int32 { spawned.pidfd.raw }

  func end() {
    try? Process.sendSignal(pidfd, Signal.kill)
    _ = try? Socket.poll(pidfd, .readable, timeoutMilliseconds: Self.patience)
    _ = try? Process.waitStatus(pidfd)
  }
}
