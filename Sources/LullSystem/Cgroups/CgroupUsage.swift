internal import Glibc

extension Cgroup {
  /// The processor time of all processes that were ever in the cgroup or below, in nanoseconds. The
  /// corresponding C functions are `openat` and `read` of `cpu.stat`.
  package func processorTime() throws(SystemError) -> Int64 {
    var text = ShortText()
    try text.read("cpu.stat", in: directory)
    // The time is the first line.
    if text.hasPrefix("usage_usec "), let time = text.number(at: 11) { return Int64(clamping: time) &* 1000 }
    throw SystemError(code: ENOTSUP, call: "\(path)/cpu.stat")
  }
}
