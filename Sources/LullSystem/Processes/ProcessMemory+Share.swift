internal import Glibc

extension ProcessMemory {
  /// The memory of a process in bytes, in the memory and in the swap, with its part of what it shares with
  /// others (PSS). The kernel walks through all of its pages for this, which takes milliseconds, and waits
  /// while the process changes its mappings. Where that is not permitted, all that is in memory is counted.
  /// ENOENT or ESRCH: it has ended. The corresponding C functions are `open` and `read` of
  /// `/proc/PID/smaps_rollup` or `/proc/PID/statm`.
  package static func share(of pid: Int32) throws(SystemError) -> Int64 {
    do {
      let text = try InfoText("/proc/\(pid)/smaps_rollup")
      let kilobytes = (text.value("Pss:") ?? 0) + (text.value("SwapPss:") ?? 0)
      return Int64(clamping: kilobytes) << 10
    } catch {
      guard error.isNotPermitted else { throw error }
      let text = try InfoText("/proc/\(pid)/statm")
      let size = text.number(at: 0)
      return Int64(clamping: text.number(at: size.end).value) &* Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
  }
}
