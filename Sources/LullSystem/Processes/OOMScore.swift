internal import Glibc

/// The adjustment by which the kernel chooses whom it kills when no memory is left (`oom_score_adj`).
package enum OOMScore {
  /// The values that the kernel takes; a process with the least one is never chosen.
  package static let range = -1000...1000

  /// ENOENT or ESRCH: the process has ended.
  package static func value(of pid: Int32) throws(SystemError) -> Int {
    let file = try Descriptor.opening(path(pid), O_RDONLY, call: "open")
    return try value(file.raw)
  }

  /// Replaces the value of a process by what is made of it; nil leaves it. One descriptor serves for both, so
  /// a number that was given again in between is not touched. Without CAP_SYS_RESOURCE a value can be raised,
  /// and lowered again to the last one that somebody with this right has set. EACCES: not permitted; ENOENT
  /// or ESRCH: it has ended. The corresponding C functions are `open`, `read` and `write`.
  package static func change(of pid: Int32, _ body: (Int) -> Int?) throws(SystemError) -> Bool {
    let file = try Descriptor.opening(path(pid), O_RDWR, call: "open")
    guard let new = body(try value(file.raw)) else { return false }
    let bytes = Array("\(new)".utf8)
    try systemCall("write oom_score_adj") { unsafe pwrite(file.raw, bytes, bytes.count, 0) }
    return true
  }

  private static func path(_ pid: Int32) -> String { "/proc/\(pid)/oom_score_adj" }

  private static func value(_ raw: Int32) throws(SystemError) -> Int {
    let bytes = try Files.read(raw, at: 0, count: 16)
    return Int(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)) ?? 0
  }
}
