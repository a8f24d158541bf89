import Glibc
import LullSystem
import TestSupport
import Testing

/// The kernel's information about processes.
enum Kernel {
  static func text(_ path: String) throws -> String {
    String(decoding: try Files.read(path, limit: 1 << 20), as: UTF8.self)
  }

  /// A field of /proc/PID/status.
  static func status(_ pid: Int32, _ field: String) throws -> String {
    let lines = try text("/proc/\(pid)/status").split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix("\(field):") }, "no \(field) in /proc/\(pid)/status")
    return line.dropFirst(field.utf8.count + 1).trimmingBlanks()
  }

  /// The number of descriptors that a process has open.
  static func descriptorCount(of pid: Int32) throws -> Int {
    var count = 0
    guard let directory = unsafe opendir("/proc/\(pid)/fd") else {
      throw NothingCame(description: "the descriptors of process \(pid) cannot be listed")
    }
    while let entry = unsafe readdir(directory) {
      if unsafe entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
    }
    unsafe closedir(directory)
    return count
  }

  /// The target of a link.
  static func link(_ path: String) throws -> String {
    var room = [CChar](repeating: 0, count: 4096)
    try check(Int32(unsafe readlink(path, &room, room.count - 1)))
    return String(decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The files of the descriptors of a process.
  static func links(of pid: Int32) throws -> [String] {
    try Files.entries(of: Array("/proc/\(pid)/fd".utf8)).compactMap {
      try? link("/proc/\(pid)/fd/\(String(decoding: $0.name, as: UTF8.self))")
    }
  }

  /// True when each thread of the processes waits, and no timer of theirs is due within so many seconds.
  static func rest(_ pids: [Int32], seconds: Int) throws -> Bool {
    // Two threads are looked at one after the other: a worker can be seen waiting that has just woken a loop
    // that was seen before it. If no thread has begun a wait meanwhile, all waited at one time.
    let waits = try waitCounts(of: pids)
    for pid in pids {
      guard try !hasTimer(pid, dueWithin: seconds), try Process.areThreadsWaiting(pid) else { return false }
    }
    return try waitCounts(of: pids) == waits
  }

  private static func hasTimer(_ pid: Int32, dueWithin seconds: Int) throws -> Bool {
    let timers = try Files.entries(of: Array("/proc/\(pid)/fdinfo".utf8)).compactMap {
      try? text("/proc/\(pid)/fdinfo/\(String(decoding: $0.name, as: UTF8.self))")
    }
    let times = timers.compactMap { $0.firstMatch(of: /it_value: \((\d+), (\d+)\)/)?.output }
    return times.contains { $0.1 + $0.2 != "00" && (Int($0.1) ?? 0) < seconds }
  }

  /// How often each thread of the processes has begun to wait; nil for one that has just ended.
  private static func waitCounts(of pids: [Int32]) throws -> [String?] {
    let threads = try pids.flatMap { try NumberedEntries.all(in: "/proc/\($0)/task") }
    return threads.map { try? status($0, "voluntary_ctxt_switches") }
  }

  /// Counts the system calls that processes begin within a time, with strace.
  static func systemCalls(of pids: [Int32], seconds: Int) throws -> [String] {
    let attach = pids.flatMap { ["-p", "\($0)"] }
    let trace = try ConnectedChild(["timeout", "-s", "INT", "\(seconds)", "strace", "-f", "-q"] + attach)
    let calls = try trace.errors.untilEnd().split(separator: "\n").map(String.init)
    try #require(try trace.end() == .exited(124), "strace did not run: \(calls)")
    // The wait in which strace found the process stands there as well, unfinished.
    return calls.filter { !$0.contains("<detached") && !$0.contains("<unfinished") }
  }

  /// Writes a new file.
  static func write(_ text: String, to path: String) throws { try write(Array(text.utf8), to: path) }

  static func write(_ bytes: [UInt8], to path: String) throws {
    let raw = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try #require(raw >= 0, "\(path) cannot be written")
    let file = Descriptor(owning: raw)
    try StandardStreams.write(bytes, to: file.raw)
  }

  static func copy(_ source: String, to target: String, mode: mode_t) throws {
    let bytes = try Files.read(source, limit: 1 << 30)
    let raw = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o700)
    try #require(raw >= 0, "\(target) cannot be written")
    let file = Descriptor(owning: raw)
    try StandardStreams.write(bytes, to: file.raw)
    try #require(fchmod(file.raw, mode) == 0)
  }
}

extension Substring {
  fileprivate func trimmingBlanks() -> String {
    String(drop { $0 == " " || $0 == "\t" })
  }
}

extension Kernel {
  /// Waits for `frozen 1`; the kernel tells of changes at most once in 10 ms, so the file is also read again.
  static func waitUntilFrozen(_ cgroup: Cgroup) throws {
    let deadline = Deadline()
    while try !cgroup.state().frozen {
      if deadline.isOver { throw NothingCame(description: "\(cgroup.path) was not frozen") }
      _ = try Socket.poll(cgroup.events, .priority, timeoutMilliseconds: 20)
    }
  }

  /// Fails with errno when a call did.
  static func check(_ result: Int32) throws {
    if result == -1 { throw SystemError("the test's preparation") }
  }

  /// Closes a TCP connection with a RST instead of a FIN.
  static func breakOff(_ box: DescriptorBox) throws {
    var option = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout<linger>.size)
    let done = unsafe setsockopt(box.raw, SOL_SOCKET, SO_LINGER, &option, size)
    try #require(done == 0)
    box.close()
  }

  /// Bounds the receive buffer of the connections that a listening socket accepts from now on.
  static func setReceiveBuffer(_ box: DescriptorBox, _ size: Int32) throws {
    var size = size
    let length = socklen_t(MemoryLayout<Int32>.size)
    try check(unsafe setsockopt(box.raw, SOL_SOCKET, SO_RCVBUF, &size, length))
  }

  /// Ends one direction of a connection: the peer sees FIN and can still send.
  static func finishSending(_ box: DescriptorBox) throws { try check(shutdown(box.raw, Int32(SHUT_WR))) }
}
