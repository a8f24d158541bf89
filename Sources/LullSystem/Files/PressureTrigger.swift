internal import Glibc

/// Triggers of pressure stall information: descriptors that are ready (`priority`) when tasks have waited for
/// a resource for too long, and in error once the file's cgroup is gone.
package enum PressureTrigger {
  package enum Stalled: String, Sendable {
    /// At least one.
    case some
    /// All that have something to do.
    case full
  }

  /// A trigger on a file such as `/proc/pressure/memory` or `memory.pressure` of a cgroup: ready when tasks
  /// waited for `stall` of each `window`, in microseconds, once in a window. EACCES, EPERM or EINVAL: not
  /// permitted, as without CAP_SYS_RESOURCE with a window that is no multiple of 2 s; ENOENT or EOPNOTSUPP: a
  /// kernel without it. Closing it waits for the kernel's readers.
  package static func open(
    _ path: String, _ stalled: Stalled, stall: Int64, window: Int64
  ) throws(SystemError) -> DescriptorBox {
    let file = try Descriptor.opening(path, O_RDWR | O_NONBLOCK)
    let words = Array("\(stalled.rawValue) \(stall) \(window)".utf8) + [0]
    try systemCall("write \(path)") { unsafe write(file.raw, words, words.count) }
    return DescriptorBox(file)
  }
}
