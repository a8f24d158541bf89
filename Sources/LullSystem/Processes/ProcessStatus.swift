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

  /// Nil where the kernel does not count them (before Linux 6.2).
  package static func openFileCount(of pid: Int32) -> Int? {
    var status = stat()
    guard unsafe stat("/proc/\(pid)/fd", &status) == 0, status.st_size > 0 else { return nil }
    return Int(status.st_size)
  }

  /// The process has 32-bit words (x32 too) on a 64-bit kernel, by the width of the kernel's own notes for
  /// its program; false when they cannot be read. The file of the program could be on a disk that makes the
  /// reader wait.
  package static func isNarrow(_ pid: Int32) -> Bool {
    #if _pointerBitWidth(_64)
      var text = ShortText()
      guard (try? text.read("/proc/\(pid)/auxv")) != nil, text.count >= 8 else { return false }
      // The type of the first note, a small number, or its type and its value.
      var note: UInt64 = 0
      for index in 0..<8 { note = note << 8 | UInt64(text.bytes[index]) }
      return note.bigEndian >> 32 != 0
    #else
      return false
    #endif
  }
}

extension Process {
  /// The state is `T` of proc(5). The corresponding C function is `read` of `/proc/PID/stat`.
  package static func isStopped(_ pid: Int32) throws(SystemError) -> Bool {
    try StatLine(of: "\(pid)").isStopped
  }

  /// The thread that traces a process (ptrace), as a debugger does; nil without one, and where it is a thread
  /// of this process. Only the first thread of the traced process is looked at. ENOENT or ESRCH: it has
  /// ended. The corresponding C function is `read` of `/proc/PID/status`.
  package static func tracer(of pid: Int32) throws(SystemError) -> Int32? {
    let status = try InfoText("/proc/\(pid)/status", isOnePiece: true)
    guard let thread = status.value("TracerPid:"), thread > 0, !Files.exists("/proc/self/task/\(thread)")
    else { return nil }
    return Int32(truncatingIfNeeded: thread)
  }

  /// The process runs no code of its own any more, while its descriptors are closed and its memory goes
  /// (PF_EXITING), or it has ended. The corresponding C function is `read` of `/proc/PID/stat`.
  package static func isEnding(_ pid: Int32) throws(SystemError) -> Bool {
    let line = try StatLine(of: "\(pid)")
    return line.hasEnded || line.hasFlag(0x4)
  }

  /// A signal ends the process, although it may not have ended yet: the signal waits for it, as for one that
  /// is frozen, or is acting. Only the first thread is looked at; false for a process that has ended. The
  /// corresponding C functions are `read` of `/proc/PID/task/PID/status` and of `/proc/PID/stat`.
  package static func isDying(_ pid: Int32) -> Bool {
    if let signals = try? ThreadSignals(of: pid, in: pid),
      signals.pending & ~signals.blocked & ~signals.ignored & ~signals.caught & ~harmless != 0
    {
      return true
    }
    // PF_EXITING, PF_DUMPCORE, PF_SIGNALED.
    return (try? StatLine(of: "\(pid)"))?.hasFlag(0x4 | 0x200 | 0x400) ?? false
  }

  /// The signals that wait for a process that cannot take them now, as a frozen one, by number: those on
  /// which it or one of its threads will act. Empty for a process that has ended. The corresponding C
  /// function is `read` of `/proc/PID/task/TID/status`.
  package static func waitingSignals(of pid: Int32) -> [Int32] {
    var waiting: UInt64 = 0
    for thread in (try? NiceValue.threads(of: pid)) ?? [] {
      guard let signals = try? ThreadSignals(of: thread, in: pid) else { continue }
      waiting |= signals.pending & ~signals.ignored & ~(harmless & ~signals.caught)
    }
    return (Int32(1)...64).filter { waiting >> UInt64($0 - 1) & 1 == 1 }
  }

  /// Signals that do nothing by default, or stop.
  private static var harmless: UInt64 {
    let signals = [SIGCHLD, SIGCONT, SIGURG, SIGWINCH, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU]
    return signals.reduce(0) { $0 | 1 << UInt64($1 - 1) }
  }
}
