internal import Glibc

extension Process {
  /// The start time of a process, in clock ticks since boot: with the number it names a process for ever. The
  /// corresponding C function is `read` of `/proc/PID/stat`.
  package static func startTime(of pid: Int32) throws(SystemError) -> UInt64 {
    try statField(22, of: pid)
  }

  package static func parentPid(of pid: Int32) throws(SystemError) -> Int32 {
    try Int32(truncatingIfNeeded: statField(4, of: pid))
  }

  package static func processGroup(of pid: Int32) throws(SystemError) -> Int32 {
    try Int32(truncatingIfNeeded: statField(5, of: pid))
  }

  /// The path of a process in the v2 hierarchy: the `0::` line. "/" on a machine without that hierarchy's
  /// use. The corresponding C function is `read` of `/proc/PID/cgroup`.
  package static func cgroupPath(of pid: Int32) throws(SystemError) -> String {
    try cgroupPath(file: "/proc/\(pid)/cgroup")
  }

  package static func executablePath() throws(SystemError) -> String {
    var room = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try systemCall("readlink(/proc/self/exe)") {
      unsafe readlink("/proc/self/exe", &room, room.count)
    }
    return String(decoding: room.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The folder of this program, also when its file was replaced: that is said behind its name. The
  /// corresponding C function is `readlink` of `/proc/self/exe`.
  package static func folder() throws(SystemError) -> String {
    let own = try executablePath()
    return own.lastIndex(of: "/").map { String(own[..<$0]) } ?? "."
  }

  package static func sibling(_ name: String) throws(SystemError) -> String { "\(try folder())/\(name)" }

  static func cgroupPath(file: String) throws(SystemError) -> String {
    try cgroupPath(in: Files.read(file, limit: 1 << 20)[...], of: file)
  }

  static func cgroupPath(in text: ArraySlice<UInt8>, of file: String) throws(SystemError) -> String {
    let prefix = Array("0::".utf8)
    for line in text.split(separator: UInt8(ascii: "\n")) where line.starts(with: prefix) {
      return String(decoding: line.dropFirst(prefix.count), as: UTF8.self)
    }
    throw SystemError(code: ENOENT, call: "\(file): no cgroup v2 line")
  }

  private static func statField(_ number: Int, of pid: Int32) throws(SystemError) -> UInt64 {
    guard let value = try StatLine(of: "\(pid)").number(number) else {
      throw SystemError(code: EINVAL, call: "/proc/\(pid)/stat: field \(number)")
    }
    return value
  }
}

extension Process {
  /// At most 15 bytes. See proc(5), `/proc/PID/comm`.
  package static func commandName(of pid: Int32) throws(SystemError) -> String {
    let bytes = try Files.read("/proc/\(pid)/comm", limit: 64)
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  /// Empty for a process that has ended. See proc(5), `/proc/PID/cmdline`.
  package static func commandWords(of pid: Int32) -> [String] {
    var bytes = (try? Files.read("/proc/\(pid)/cmdline", limit: 1 << 23)) ?? []
    // A program that has written a title over its words has left NULs behind it; an empty last word is one.
    let nuls = bytes.reversed().prefix { $0 == 0 }.count
    bytes.removeLast(nuls > 2 ? nuls : min(nuls, 1))
    guard !bytes.isEmpty else { return [] }
    return bytes.split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// The moment at which a process was started, in seconds since 1970. ENOENT or ESRCH: it has ended. The
  /// corresponding C function is `read` of `/proc/PID/stat`.
  package static func startMoment(of pid: Int32) throws(SystemError) -> Double {
    let rate = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    let age = Double(Clock.boottime()) / 1e9 - Double(try startTime(of: pid)) / rate
    return Double(Clock.realtime()) / 1e9 - age
  }
}

extension Process {
  /// Nil where the kernel does not count them (before Linux 6.2).
  package static func openFileCount(of pid: Int32) -> Int? {
    var status = stat()
    guard unsafe stat("/proc/\(pid)/fd", &status) == 0, status.st_size > 0 else { return nil }
    return Int(status.st_size)
  }
}
