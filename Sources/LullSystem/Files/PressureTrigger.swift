internal import Glibc

/// A trigger of pressure stall information: a descriptor that is ready (`priority`) when tasks have waited
/// for a resource for too long.
package struct PressureTrigger: ~Copyable {
  private let descriptor: Descriptor

  /// A trigger on a file such as `/proc/pressure/memory`: ready when some task waited for `stall` of each
  /// `window`, in microseconds, once in a window. EACCES, EPERM or EINVAL: not permitted, as to an
  /// unprivileged user with a window that is no multiple of 2 s; ENOENT or EOPNOTSUPP: a kernel without it.
  /// The corresponding C functions are `open` and `write`.
  package init(_ path: String, stall: Int, window: Int) throws(SystemError) {
    let flags = O_RDWR | O_NONBLOCK | O_CLOEXEC
    let file = try Descriptor(owning: systemCall("open \(path)") { unsafe open(path, flags) })
    let words = Array("some \(stall) \(window)".utf8) + [0]
    try systemCall("write \(path)") { unsafe write(file.raw, words, words.count) }
    descriptor = file
  }

  /// The descriptor.
  package var raw: Int32 { descriptor.raw }
}
