internal import Glibc

extension Process {
  /// True when the process is stopped by a signal: the state `T` of proc(5).
  /// The corresponding C function is `read` of `/proc/PID/stat`.
  public static func isStopped(_ pid: Int32) throws(SystemError) -> Bool {
    let text = try Files.read("/proc/\(pid)/stat", limit: 1 << 16)
    guard let end = text.lastIndex(of: UInt8(ascii: ")")), text.indices.contains(end + 2) else {
      return false
    }
    return text[end + 2] == UInt8(ascii: "T")
  }

  /// Becomes another program; returns only when that fails. The corresponding C function is `execv`.
  public static func replace(_ path: String, arguments: [String]) throws(SystemError) -> Never {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    _ = unsafe execv(path, pointers)
    let error = SystemError("execv \(path)")
    unsafe pointers.forEach { unsafe free($0) }
    throw error
  }
}

extension Spawned {
  /// Both descriptors, to be kept.
  public consuming func boxes() -> (pidfd: DescriptorBox, execStatus: DescriptorBox) {
    (DescriptorBox(pidfd), DescriptorBox(execStatus))
  }
}
