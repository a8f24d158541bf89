public import LullSystem

/// Where the programs' cgroups are made: one directory for each daemon, one leaf in it for each program.
public struct CgroupPlace: Sendable {
  /// The daemon's directory; nil where no cgroup can be written.
  public let root: String?
  /// Why there is none.
  public let remark: String?
  private let mount: String

  /// The directory for the daemon of a runtime directory: below `LULL_CGROUP_ROOT`, else below this
  /// process's own cgroup in the v2 hierarchy.
  public static func directory(runtimeDirectory: String, override: String?) throws(SystemError) -> String {
    let id = runtimeDirectory.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let base: String
    if let override {
      base = override
    } else {
      let own = try CgroupMount.ownPath()
      base = try CgroupMount.find() + (own == "/" ? "" : own)
    }
    return "\(base)/lull-\(String(id, radix: 16))"
  }

  /// Makes sure of `root`; SIGSTOP serves where that fails.
  static func find(root: String?) -> CgroupPlace {
    let mount = (try? CgroupMount.find()) ?? ""
    guard let root else { return CgroupPlace(root: nil, remark: "no cgroup v2 hierarchy", mount: mount) }
    do {
      let cgroup = try Cgroup.create(at: root)
      try cgroup.thaw()
      // Where the kernel counts processes, a command that forks without end is stopped.
      try? cgroup.enable(controller: "pids")
      return CgroupPlace(root: root, remark: nil, mount: mount)
    } catch {
      return CgroupPlace(root: nil, remark: "the cgroup \(root) cannot be written: \(error)", mount: mount)
    }
  }

  /// A new cgroup for a program. One that an earlier program left is not used again: Linux 6.18 kills at once
  /// whoever is started into a cgroup that was once killed as a whole.
  func make(for name: String) throws(SystemError) -> Cgroup? {
    guard let root else { return nil }
    var path = "\(root)/\(Self.leaf(of: name))"
    var attempt = 1
    while Files.exists(path), (try? Cgroup.open(at: path).remove()) == nil {
      attempt += 1
      path = "\(root)/\(Self.leaf(of: name))-\(attempt)"
    }
    return try Cgroup.create(at: path)
  }

  /// The directory of a program. The kernel's own files are called `cgroup.procs` or `memory.max`, as a
  /// program may be too, but none ends like this.
  static func leaf(of name: String) -> String { name + Leftovers.leafSuffix }

  /// Moves a process that has connected. When its number was given to another one meanwhile, that one is put
  /// out again. ESRCH: it has ended.
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

  /// The path as /proc/PID/cgroup writes it.
  func relative(_ path: String) -> String {
    path.hasPrefix(mount) ? String(path.dropFirst(mount.utf8.count)) : path
  }

  /// The cgroup that `path` of /proc/PID/cgroup names, if it is one of this daemon's.
  func existing(_ path: String) -> Cgroup? {
    guard let root, "\(mount)\(path)".hasPrefix("\(root)/") else { return nil }
    return try? Cgroup.open(at: mount + path)
  }

  /// Removes a program's cgroup. What still runs in it goes on, unmanaged, in the parent of the daemon's
  /// directory.
  func retire(_ cgroup: Cgroup) {
    if let root { Self.retire(cgroup, root: root) }
  }

  private static func retire(_ cgroup: Cgroup, root: String) {
    if (try? cgroup.remove()) != nil { return }
    try? cgroup.thaw()
    // What the program made for itself goes first.
    for name in (try? Cgroup.children(of: cgroup.path)) ?? [] {
      if let child = try? Cgroup.open(at: "\(cgroup.path)/\(name)") { retire(child, root: root) }
    }
    guard let slash = root.lastIndex(of: "/") else { return }
    for pid in (try? cgroup.processes()) ?? [] { try? Cgroup.move(pid, to: String(root[..<slash])) }
    try? cgroup.remove()
  }

  /// Removes the daemon's directory with all its leaves; what runs in them goes on, thawed.
  static func removeAll(root: String) {
    for name in (try? Cgroup.children(of: root)) ?? [] {
      if let cgroup = try? Cgroup.open(at: "\(root)/\(name)") { retire(cgroup, root: root) }
    }
    if let cgroup = try? Cgroup.open(at: root) { try? cgroup.remove() }
  }

  /// Thaws every leaf. An empty one stays: a daemon that stands still may be about to start a program there.
  public static func thawAll(root: String) {
    for name in (try? Cgroup.children(of: root)) ?? [] {
      try? Cgroup.open(at: "\(root)/\(name)").thaw()
    }
  }
}
