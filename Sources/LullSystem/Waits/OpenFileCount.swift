internal import Glibc

extension Process {
  /// How many descriptors a process has open; nil where the kernel does not count them (before Linux 6.2).
  /// The corresponding C function is `stat` of `/proc/PID/fd`.
  public static func openFileCount(of pid: Int32) -> Int? {
    var status = stat()
    guard unsafe stat("/proc/\(pid)/fd", &status) == 0, status.st_size > 0 else { return nil }
    return Int(status.st_size)
  }
}
