internal import CLinux
internal import Glibc

extension Process {
  /// Whether every thread of a frozen process stands in a call that waits, so that it has taken nothing from a
  /// queue that it has not handled. A thread that reads one of `lines` may have what it read in its hands; one that
  /// reads another descriptor counts as waiting. EACCES or EPERM: ptrace rights are missing.
  /// The corresponding C function is `read` of `/proc/PID/task/TID/syscall`.
  public static func isParked(_ pid: Int32, lines: [Int32]) throws(SystemError) -> Bool {
    for thread in try Files.subdirectories(of: "/proc/\(pid)/task") {
      let words: [Substring]
      do {
        let bytes = try Files.read("/proc/\(pid)/task/\(thread)/syscall", limit: 4096)
        words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
      } catch {
        if error.isNoSuchFile || error.isNoSuchProcess { continue }
        throw error
      }
      guard let number = words.first.flatMap({ Int($0) }) else { return false }
      if clinux_is_wait_call(number) == 1 { continue }
      guard clinux_is_read_call(number) == 1, words.count > 1,
        let descriptor = Int32(words[1].dropFirst(2), radix: 16), !lines.contains(descriptor)
      else { return false }
    }
    return true
  }
}
