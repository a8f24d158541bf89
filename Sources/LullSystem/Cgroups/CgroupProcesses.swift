internal import Glibc

extension Cgroup {
  package func move(_ pid: Int32) throws(SystemError) {
    try write("cgroup.procs", "\(pid)")
  }

  /// The hierarchy's root has no freezer and cannot be opened as a `Cgroup`, but takes processes.
  package static func move(_ pid: Int32, to path: String) throws(SystemError) {
    try write(path, file: "cgroup.procs", text: "\(pid)")
  }

  /// The processes in the cgroup, without those below; a process that is ending is still named. The
  /// corresponding C function is `pread` of `cgroup.procs`.
  package func processes() throws(SystemError) -> [Int32] {
    var (pids, pid, offset): ([Int32], Int32, Int) = ([], 0, 0)
    var room = InlineArray<512, UInt8>(repeating: 0)
    while true {
      let count = try systemCall("cgroup.procs") {
        var bytes = room.mutableSpan
        return unsafe bytes.withUnsafeMutableBytes {
          unsafe pread(processesFile, $0.baseAddress, $0.count, off_t(offset))
        }
      }
      guard count > 0 else { return pids }
      offset += count
      for index in 0..<count {
        if room[index] == UInt8(ascii: "\n") {
          pids.append(pid)
          pid = 0
        } else {
          pid = pid &* 10 &+ Int32(room[index] &- UInt8(ascii: "0"))
        }
      }
    }
  }

  /// The processes in the cgroup and below: a program may have made cgroups of its own, which freeze with it.
  /// The corresponding C functions are `fstat` and `pread` of `cgroup.procs`.
  package func allProcesses() throws(SystemError) -> [Int32] {
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

  /// Kills every process in the cgroup and below, frozen ones too. The corresponding C function is `write` of
  /// `cgroup.kill` (before Linux 5.14, `kill` of each).
  package func killAll() throws(SystemError) {
    do {
      try write("cgroup.kill", "1")
      // Most are gone by now, and their cgroups with them.
      try? killWithoutMainThreads()
    } catch {
      guard error.isNoSuchFile else { throw error }
      try killEach()
    }
  }

  /// The kernel sends the signal of `cgroup.kill` to each main thread, and one that has ended takes none.
  private func killWithoutMainThreads() throws(SystemError) {
    for child in try Cgroup.children(of: path) {
      try Cgroup.open(at: "\(path)/\(child)").killWithoutMainThreads()
    }
    for pid in try processes() where (try? Process.isEnding(pid)) == true {
      try? Process.kill(pid, Signal.kill)
    }
  }

  /// Kills each process in turn. A process that is killed while it forks leaves a child behind, so this is
  /// repeated until no process is named. It is not repeated for ever: a process that waits in the kernel
  /// stays named until its call ends.
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

  /// EBUSY: a process or a child cgroup is left.
  package func remove() throws(SystemError) {
    try systemCall("rmdir \(path)") { unsafe rmdir(path) }
  }

  package static func children(of path: String) throws(SystemError) -> [String] {
    try Files.subdirectories(of: path)
  }

  func write(_ file: String, _ text: String) throws(SystemError) {
    try Self.write(path, file: file, text: text)
  }

  static func write(_ path: String, file: String, text: String) throws(SystemError) {
    let descriptor = try Cgroup.open(path, file: file, flags: O_WRONLY)
    let bytes = Array(text.utf8)
    try systemCall("write \(path)/\(file)") { unsafe Glibc.write(descriptor.raw, bytes, bytes.count) }
  }
}
