import LullChannel
import LullSystem
import LullWire

/// The place of the programs' cgroups: one directory for each daemon, one leaf in it for each program.
struct CgroupPlace {
  let root: String?
  let lack: CgroupLack?
  private let mount: String
  private let log: any FailureLog

  /// Without a directory, programs are stopped by SIGSTOP.
  static func find(root: String?, _ log: any FailureLog) -> CgroupPlace {
    let mount = log.ignoring(.removed, try CgroupMount.find()) ?? ""
    func place(_ root: String?, _ lack: CgroupLack?) -> CgroupPlace {
      CgroupPlace(root: root, lack: lack, mount: mount, log: log)
    }
    guard let root else { return place(nil, CgroupLack(cause: .noHierarchy)) }
    do {
      let cgroup = try Cgroup.create(at: root)
      try cgroup.thaw()
      // The kernel's limit stops a command that forks without end.
      log.ignoring(.removed, try cgroup.enable(controller: "pids"))
      return place(root, nil)
    } catch {
      return place(nil, CgroupLack(cause: .unwritable, detail: "\(root): \(error)"))
    }
  }

  /// A cgroup that an earlier program left is not used again: Linux 6.18 kills at once every process that is
  /// started in a cgroup that was once killed as a whole.
  func make(for name: String) throws(SystemError) -> Cgroup? {
    guard let root else { return nil }
    return try Self.make(for: name, in: root, log)
  }

  private static func make(
    for name: String, in root: String, _ log: any FailureLog
  ) throws(SystemError) -> Cgroup {
    var path = "\(root)/\(leaf(of: name))"
    var attempt = 1
    while Files.exists(path), log.ignoring([.inUse, .removed], try Cgroup.open(at: path).remove()) == nil {
      attempt += 1
      path = "\(root)/\(leaf(of: name))-\(attempt)"
    }
    return try Cgroup.create(at: path)
  }

  /// The suffix keeps the directory apart from the kernel's own files: a program may be called `cgroup.procs`
  /// or `memory.max` too.
  static func leaf(of name: String) -> String { name + Leftovers.leafSuffix }

  /// A stranger that got the same number meanwhile is moved out again. Throws ESRCH when the process has
  /// ended.
  func move(_ pid: Int32, _ pidfd: DescriptorBox, to cgroup: Cgroup) throws(SystemError) {
    try cgroup.move(pid)
    do {
      try Process.sendSignal(pidfd.raw, 0)
    } catch {
      guard !error.isNotPermitted else { return }
      retire(cgroup)
      throw error
    }
  }

  /// A cgroup below the one that an adopted program has, at `home` as /proc/PID/cgroup writes it. There its
  /// supervisor finds the program, what the supervisor starts beside it does not freeze with it (`podman
  /// exec`), and the supervisor's own freeze is apart from Lull's (`podman pause`). `note` records the
  /// directory before the first freeze.
  func make(
    for name: String, below home: String, note: (_ directory: String) throws(SystemError) -> Void
  ) throws(SystemError) -> Cgroup {
    guard let root, let slash = root.lastIndex(of: "/") else {
      throw .missing("cgroups")
    }
    let directory = (home == "/" ? mount : mount + home) + root[slash...]
    _ = try Cgroup.create(at: directory)
    do {
      try note(directory)
      return try Self.make(for: name, in: directory, log)
    } catch {
      removeForeign(directory)
      throw error
    }
  }

  /// Where it is no directory of this daemon's own.
  private func removeForeign(_ directory: String) {
    guard directory != root else { return }
    log.ignoring([.inUse, .removed], try Cgroup.open(at: directory).remove())
  }

  /// As /proc/PID/cgroup writes it.
  func relative(_ path: String) -> String {
    path.hasPrefix(mount) ? String(path.dropFirst(mount.utf8.count)) : path
  }

  /// The processes of the cgroup at `path` of /proc/PID/cgroup, without those below.
  func processes(at path: String) throws(SystemError) -> [Int32] {
    try Cgroup.open(at: mount + path).processes()
  }

  func isFrozen(at path: String) -> Bool {
    // The hierarchy's root is never frozen, and has no such state.
    (try? Cgroup.open(at: mount + path).state().frozen) == true
  }

  /// The cgroup that `path` of /proc/PID/cgroup names, if that is a cgroup of this daemon.
  func existing(_ path: String) -> Cgroup? {
    guard let root, "\(mount)\(path)".hasPrefix("\(root)/") else { return nil }
    return log.ignoring(.removed, try Cgroup.open(at: mount + path))
  }

  /// Removes a program's cgroup. Processes that still run in it go on, unmanaged, in the parent of the
  /// directory: that of the daemon's own, or the cgroup that an adopted program had.
  func retire(_ cgroup: Cgroup) {
    guard let slash = cgroup.path.lastIndex(of: "/") else { return }
    let directory = String(cgroup.path[..<slash])
    Self.retire(cgroup, root: directory, log)
    removeForeign(directory)
  }

  private static func retire(_ cgroup: Cgroup, root: String, _ log: any FailureLog) {
    if log.ignoring([.inUse, .removed], try cgroup.remove()) != nil { return }
    thaw(cgroup, log)
    // Cgroups that the program made for itself go first.
    forEachChild(of: cgroup.path, log) { retire($0, root: root, log) }
    guard let slash = root.lastIndex(of: "/") else { return }
    for pass in 1...passes {
      // One may start another while it is moved. One that does so all the time is held still for it. Those
      // that are about to end are not listed, and keep the cgroup until then.
      if pass == patientPasses { log.ignoring(.removed, try cgroup.freeze()) }
      if pass >= patientPasses { Process.rest(microseconds: 100 << UInt32(pass - patientPasses)) }
      for pid in log.ignoring(.removed, try cgroup.processes()) ?? [] {
        log.ignoring(.ended, try Cgroup.move(pid, to: String(root[..<slash])))
      }
      if log.ignoring([.inUse, .removed], try cgroup.remove()) != nil { return }
    }
    thaw(cgroup, log)
    log.ignoring(.removed, try cgroup.remove())
  }

  private static var passes: Int { 10 }
  private static var patientPasses: Int { 4 }

  private static func thaw(_ cgroup: Cgroup, _ log: any FailureLog) {
    log.ignoring(.removed, try cgroup.thaw())
  }

  /// The cgroups below are opened one by one: there may be more of them than descriptors.
  private static func forEachChild(of path: String, _ log: any FailureLog, _ body: (Cgroup) -> Void) {
    for name in log.ignoring(.removed, try Cgroup.children(of: path)) ?? [] {
      if let child = log.ignoring(.removed, try Cgroup.open(at: "\(path)/\(name)")) { body(child) }
    }
  }
}
