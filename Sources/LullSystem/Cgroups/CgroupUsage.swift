internal import Glibc

extension Cgroup {
  /// The processor time of all processes that were ever in the cgroup or below, in nanoseconds. The
  /// corresponding C functions are `openat` and `read` of `cpu.stat`.
  package func processorTime() throws(SystemError) -> Int64 {
    let text = try Files.read("cpu.stat", in: directory, limit: 1 << 16)
    let prefix = Array("usage_usec ".utf8)
    for line in text.split(separator: UInt8(ascii: "\n")) where line.starts(with: prefix) {
      guard let time = Int64(String(decoding: line.dropFirst(prefix.count), as: UTF8.self)) else { break }
      return time &* 1000
    }
    throw SystemError(code: ENOTSUP, call: "\(path)/cpu.stat")
  }
}
