internal import Glibc

extension Cgroup {
  /// Moves a process here. The corresponding C function is `write` of `cgroup.procs`.
  public func move(_ pid: Int32) throws(SystemError) {
    try write("cgroup.procs", "\(pid)")
  }

  /// Moves a process into the cgroup at `path`. The hierarchy's root has no freezer and cannot be opened as a
  /// `Cgroup`, but takes processes. The corresponding C function is `write` of `cgroup.procs`.
  public static func move(_ pid: Int32, to path: String) throws(SystemError) {
    try write(path, "cgroup.procs", "\(pid)")
  }

  /// The processes that are in it (not those below); one that is ending is still named.
  /// The corresponding C function is `read` of `cgroup.procs`.
  public func processes() throws(SystemError) -> [Int32] {
    let text = try Files.read("\(path)/cgroup.procs", limit: 1 << 24)
    return text.split(separator: UInt8(ascii: "\n")).compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
  }

  /// The processes that are in it and below: a program may have made cgroups of its own, which freeze with it.
  /// The corresponding C functions are `fstat` and `read` of `cgroup.procs`.
  public func allProcesses() throws(SystemError) -> [Int32] {
    var found = try processes()
    guard hasChildren else { return found }
    for child in try Cgroup.children(of: path) {
      found += try Cgroup.open(at: "\(path)/\(child)").allProcesses()
    }
    return found
  }

  /// The kernel counts a directory's subdirectories as links to it.
  private var hasChildren: Bool {
    var status = stat()
    return unsafe fstat(directory, &status) != 0 || status.st_nlink > 2
  }

  /// Kills every process in it and below, frozen ones too.
  /// The corresponding C function is `write` of `cgroup.kill` (before Linux 5.14, `kill` of each).
  public func killAll() throws(SystemError) {
    do {
      try write("cgroup.kill", "1")
    } catch {
      guard error.isNoSuchFile else { throw error }
      try killEach()
    }
  }

  /// A process that is killed while it forks leaves a child behind: repeat until nobody is named, but not for
  /// ever, because a process that waits in the kernel stays named until it is done.
  func killEach() throws(SystemError) {
    for child in try Cgroup.children(of: path) {
      try Cgroup.open(at: "\(path)/\(child)").killEach()
    }
    for _ in 0..<16 {
      let named = try processes()
      guard !named.isEmpty else { return }
      for pid in named {
        do {
          try Process.kill(pid, Signal.kill)
        } catch {
          guard error.isNoSuchProcess else { throw error }
        }
      }
    }
  }

  /// Removes the empty cgroup. EBUSY: a process or a child cgroup is left.
  /// The corresponding C function is `rmdir`.
  public func remove() throws(SystemError) {
    try systemCall("rmdir \(path)") { unsafe rmdir(path) }
  }

  /// The names of the cgroups directly below a path. The corresponding C function is `readdir`.
  public static func children(of path: String) throws(SystemError) -> [String] {
    try Files.subdirectories(of: path)
  }

  func write(_ file: String, _ text: String) throws(SystemError) {
    try Self.write(path, file, text)
  }

  static func write(_ path: String, _ file: String, _ text: String) throws(SystemError) {
    let descriptor = try Cgroup.open(path, file, O_WRONLY)
    let bytes = Array(text.utf8)
    try systemCall("write \(path)/\(file)") { unsafe Glibc.write(descriptor.raw, bytes, bytes.count) }
  }
}
