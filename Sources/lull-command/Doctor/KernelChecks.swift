import LullSystem
import LullWire

/// Why a check is not answered with yes.
struct Shortage: Error {
  let result: Vocabulary.CheckResult
  let detail: String
  let mend: String

  static func no(_ detail: String, mend: String) -> Shortage {
    .init(result: .no, detail: detail, mend: mend)
  }

  static func limited(_ detail: String, mend: String) -> Shortage {
    .init(result: .limited, detail: detail, mend: mend)
  }
}

extension CheckItem {
  init(_ name: String, _ check: () throws(Shortage) -> String) {
    do throws(Shortage) { self.init(name: name, .yes, try check()) } catch {
      self.init(name: name, error.result, error.detail, mend: error.mend)
    }
  }
}

enum LimitCheck {
  /// Below this the other checks fail for want of descriptors, and would blame something else.
  private static let fewest = 32
  /// The fewest with which lulld starts, and the fewest with which several programs fit.
  private static let forDaemon = 64, forSeveral = 256
  private static let mend = "ulimit -n 4096, or LimitNOFILE=4096 in the service that starts it"

  /// The check, after the limit was raised as far as it goes; `isEnough` is false when nothing else can be
  /// tried.
  static func run() -> (check: CheckItem, isEnough: Bool) {
    var isEnough = true
    let check = CheckItem("open-files") { () throws(Shortage) in
      let limit: Int
      do { limit = try ResourceLimits.raiseOpenFiles() } catch {
        throw .limited("the limit is not known (\(error))", mend: mend)
      }
      isEnough = limit >= fewest
      switch limit {
      case ..<forDaemon:
        throw .no("only \(limit) files may be open, and lulld needs \(forDaemon)", mend: mend)
      case ..<forSeveral:
        throw .limited("only \(limit) files may be open: enough for a few programs", mend: mend)
      default: return "\(limit) may be open"
      }
    }
    return (check, isEnough)
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
    var (mount, parent, cgroup): (String?, String, Cgroup?) = (nil, "", nil)
    var checks = [
      CheckItem("cgroup-mount") { () throws(Shortage) in
        mount = try? CgroupMount.find()
        if let mount { return "v2 at \(mount)" }
        throw .limited(
          "the v2 hierarchy is not mounted; \(fallback)",
          mend: "mount -t cgroup2 none /sys/fs/cgroup (as root)")
      }
    ]
    guard let mount else { return checks }
    checks.append(
      CheckItem("cgroup") { () throws(Shortage) in
        do throws(SystemError) {
          parent = try place(mount, root)
          cgroup = try Cgroup.create(at: "\(parent)/lull-doctor-\(Identity.pid())")
          return "can be made in \(parent)"
        } catch {
          throw .limited("none can be made (\(error)); \(fallback)", mend: mend)
        }
      })
    guard let cgroup else { return checks }
    // A daemon that runs may have no hierarchy of its own, whatever this process can do.
    let use = root == nil ? "" : ", as what \"lull run\" starts can be"
    checks.append(
      CheckItem("freezer") { () throws(Shortage) in
        do throws(SystemError) {
          if let time = try freezeChild(in: cgroup) { return "a child was frozen in \(time)\(use)" }
        } catch {
          throw refused(error, parent)
        }
        throw .limited(
          "a child did not freeze within 2 s; \(fallback)",
          mend: "see whether something in the kernel log holds it")
      })
    do { try cgroup.remove() } catch {
      checks.append(CheckItem(name: "cgroup-removal", .limited, "\(error)", mend: "rmdir \(cgroup.path)"))
    }
    return checks
  }

  /// `lull run` clones its command into the cgroup, as this check does: who stands outside of a delegated
  /// hierarchy may make a cgroup there and yet start nothing in it.
  private static func refused(_ error: SystemError, _ parent: String) -> Shortage {
    guard error.call.hasPrefix("clone3"), !error.isOutOfDescriptors else {
      return .limited("a child cannot be frozen (\(error)); \(fallback)", mend: mend)
    }
    return .limited(
      "nothing can be started in \(parent) from this shell's cgroup (\(error)); \(fallback)",
      mend: "start lull from inside that hierarchy, or as root")
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
  static func run() -> [CheckItem] { [CheckItem("alarm-timer", alarm), CheckItem("ptrace", ptrace)] }

  private static func alarm() throws(Shortage) -> String {
    do { _ = try Timer(.boottimeAlarm) } catch {
      throw .limited(
        "a keep-alive is late where the whole machine is suspended (\(error))",
        mend: "setcap cap_wake_alarm+ep lulld, or AmbientCapabilities=CAP_WAKE_ALARM in its service")
    }
    return "a keep-alive wakes a machine that is suspended"
  }

  /// The check that a program's descriptors can be taken at the freeze.
  private static func ptrace() throws(Shortage) -> String {
    let scope = yamaScope()
    do {
      let child = try TrialChild.start()
      let result = Result { () throws(SystemError) in _ = try Process.getDescriptor(child.pidfd, number: 0) }
      child.end()
      try result.get()
    } catch {
      throw .limited(
        "no descriptor can be taken (\(error), Yama scope \(scope)): only the library's programs are watched",
        mend: "sysctl kernel.yama.ptrace_scope=1 (as root), or give lulld CAP_SYS_PTRACE")
    }
    let limited = scope > 0 && !Identity.hasCapability(.systemPtrace)
    let rest = limited ? "; programs that lull did not start hand theirs over themselves" : ""
    return "descriptors of a child can be taken (Yama scope \(scope))\(rest)"
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
    let execStatus = child.spawned.execStatus.raw
    _ = try Socket.poll(execStatus, .readable, timeoutMilliseconds: patience)
    if case .failed(let error) = try Process.execResult(execStatus) {
      child.end()
      throw error
    }
    return child
  }

  var pidfd: Int32 { spawned.pidfd.raw }

  func end() {
    try? Process.sendSignal(pidfd, Signal.kill)
    _ = try? Socket.poll(pidfd, .readable, timeoutMilliseconds: Self.patience)
    _ = try? Process.waitStatus(pidfd)
  }
}
