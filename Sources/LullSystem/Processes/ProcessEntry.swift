internal import Glibc
package import LullModel

/// A process as `/proc/PID/stat` shows it.
package struct ProcessEntry: Hashable, Sendable {
  package let identity: ProcessIdentity
  package let parent: Int32
  package let group: Int32
  package let isZombie: Bool

  package var pid: Int32 { identity.pid }
}

extension ProcessEntry {
  /// ENOENT or ESRCH: no process has the number.
  package init(of pid: Int32) throws(SystemError) {
    guard let entry = ProcessEntry(pid: pid, try StatLine(of: "\(pid)")) else {
      throw SystemError(code: EINVAL, call: "/proc/\(pid)/stat")
    }
    self = entry
  }

  init?(pid: Int32, stat: [UInt8]) {
    guard let line = StatLine(stat) else { return nil }
    self.init(pid: pid, line)
  }

  private init?(pid: Int32, _ line: StatLine) {
    guard pid > 1, let parent = line.number(4), let group = line.number(5), let start = line.number(22) else {
      return nil
    }
    identity = ProcessIdentity(pid: pid, start: start)
    self.parent = Int32(truncatingIfNeeded: parent)
    self.group = Int32(truncatingIfNeeded: group)
    isZombie = line.hasEnded
  }
}

extension Process {
  /// Every process, in the order of the numbers. A process that lives through the whole call is among them.
  /// The corresponding C functions are `readdir` of `/proc` and `read` of `/proc/PID/stat`.
  package static func all() throws(SystemError) -> [ProcessEntry] {
    try NumberedEntries.all(in: "/proc").compactMap { try? ProcessEntry(of: $0) }
  }

  /// Every thread of the process is stopped by a signal. ENOENT: the process has ended. The corresponding C
  /// function is `read` of `/proc/PID/task/TID/stat`.
  package static func areThreadsStopped(_ pid: Int32) throws(SystemError) -> Bool {
    try eachThread(of: pid, \.isStopped)
  }

  /// True when each thread waits for something else than a disk. The state is `S` of proc(5). The
  /// corresponding C function is `read` of `/proc/PID/task/TID/stat`.
  package static func areThreadsWaiting(_ pid: Int32) throws(SystemError) -> Bool {
    try eachThread(of: pid) { $0.state == UInt8(ascii: "S") }
  }

  private static func eachThread(
    of pid: Int32, _ isSo: (StatLine) -> Bool
  ) throws(SystemError) -> Bool {
    var threads = try NumberedEntries("/proc/\(pid)/task")
    while let thread = threads.next() {
      guard let line = try? StatLine(of: "\(pid)/task/\(thread)") else { continue }
      // A leader that has ended before its other threads stays as a zombie.
      guard isSo(line) || line.hasEnded else { return false }
    }
    return true
  }

  /// A variable of the environment that a process was started with; nil where the process has no such
  /// variable, has written over it, or may not be read.
  package static func environment(_ name: String, of pid: Int32) -> String? {
    let prefix = Array("\(name)=".utf8)
    guard let text = try? Files.read("/proc/\(pid)/environ", limit: 1 << 23) else { return nil }
    return text.split(separator: 0).first { $0.starts(with: prefix) }.map {
      String(decoding: $0.dropFirst(prefix.count), as: UTF8.self)
    }
  }

  /// The children of all threads of a process that have not been waited for, in whatever cgroup they are;
  /// empty when the process has ended. The corresponding C function is `read` of
  /// `/proc/PID/task/TID/children`.
  package static func children(of pid: Int32) throws(SystemError) -> [Int32] {
    var children: [Int32] = []
    for thread in try unlessGone(try NumberedEntries.all(in: "/proc/\(pid)/task")) ?? [] {
      guard let text = try unlessGone(try InfoText("/proc/\(pid)/task/\(thread)/children")) else { continue }
      var start = 0
      while start < text.bytes.count {
        let child = text.number(at: start)
        if child.value > 0 { children.append(Int32(truncatingIfNeeded: child.value)) }
        start = child.end + 1
      }
    }
    return children
  }
}
