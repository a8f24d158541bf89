/// A line of `/proc/PID/maps`.
struct MemoryMapping {
  let range: Range<UInt64>
  /// For example `rw-p`: `p` is private, `s` shared.
  private let permissions: ArraySlice<UInt8>
  private let isOfFile: Bool
  private let name: ArraySlice<UInt8>

  /// ENOENT or ESRCH: the process has ended; EACCES: no right over it.
  static func all(of pid: Int32) throws(SystemError) -> [MemoryMapping] {
    try Files.read("/proc/\(pid)/maps", limit: 1 << 26).split(separator: UInt8(ascii: "\n")).compactMap(
      MemoryMapping.init)
  }

  init?(_ line: ArraySlice<UInt8>) {
    // 7f2c1a000000-7f2c1a021000 rw-p 00000000 08:01 4711   /usr/lib/a library.so
    let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
    let ends = fields.first?.split(separator: UInt8(ascii: "-")).compactMap {
      UInt64(String(decoding: $0, as: UTF8.self), radix: 16)
    }
    guard fields.count >= 5, fields[1].count == 4, let ends, ends.count == 2, ends[0] <= ends[1] else {
      return nil
    }
    range = ends[0]..<ends[1]
    permissions = fields[1]
    isOfFile = fields[4] != [UInt8(ascii: "0")]
    name = fields.count > 5 ? fields[5].drop { $0 == UInt8(ascii: " ") } : []
  }

  var isShared: Bool { permissions.last == UInt8(ascii: "s") }

  /// Shared files stay: their pages would be written to the disk, and others read them too. So does what the
  /// kernel maps itself, such as `[vdso]`.
  var mayBePagedOut: Bool {
    guard permissions.prefix(2) != [UInt8(ascii: "-"), UInt8(ascii: "-")] else { return false }
    guard isShared else { return isOfFile || !name.starts(with: "[v".utf8) }
    return ["/memfd:", "/dev/zero", "/SYSV"].contains { name.starts(with: $0.utf8) }
  }
}
