internal import Glibc

/// Swap, which may be compressed memory (zram).
package struct SwapSpace: Equatable, Sendable {
  /// In bytes; 0 without swap.
  package let total: UInt64
  package let free: UInt64

  package static func current() throws(SystemError) -> SwapSpace {
    SwapSpace(try Files.read("/proc/meminfo", limit: 1 << 16))
  }

  init(_ text: [UInt8]) {
    (total, free) = (Self.bytes("SwapTotal:", in: text), Self.bytes("SwapFree:", in: text))
  }

  /// For example `SwapFree:        1048572 kB`.
  private static func bytes(_ key: String, in text: [UInt8]) -> UInt64 {
    for line in text.split(separator: UInt8(ascii: "\n")) where line.starts(with: key.utf8) {
      let words = line.split(separator: UInt8(ascii: " "))
      return words.count > 1 ? (UInt64(String(decoding: words[1], as: UTF8.self)) ?? 0) &* 1024 : 0
    }
    return 0
  }
}
