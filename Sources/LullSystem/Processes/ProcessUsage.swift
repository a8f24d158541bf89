internal import Glibc

package enum ProcessUsage {
  /// The processor time of a process and of its children that have ended, in nanoseconds. ENOENT or ESRCH: it
  /// has ended. The corresponding C function is `read` of `/proc/PID/stat`.
  package static func processorTime(of pid: Int32) throws(SystemError) -> Int64 {
    let line = try StatLine(of: "\(pid)")
    let ticks = [14, 15, 16, 17].compactMap(line.number).reduce(0, &+)
    let rate = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
    return Int64(clamping: ticks.multipliedReportingOverflow(by: 1_000_000_000 / rate).partialValue)
  }

  /// The resident memory of a process in bytes; pages that several processes share count for each. ENOENT or
  /// ESRCH: it has ended.
  package static func residentMemory(of pid: Int32) throws(SystemError) -> UInt64 {
    let text = try Files.read("/proc/\(pid)/statm", limit: 256)
    let fields = text.split(separator: UInt8(ascii: " "))
    let pages = fields.count > 1 ? UInt64(String(decoding: fields[1], as: UTF8.self)) ?? 0 : 0
    return pages &* UInt64(max(1, sysconf(Int32(_SC_PAGESIZE))))
  }
}
