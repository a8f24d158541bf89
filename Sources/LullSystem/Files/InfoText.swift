internal import Glibc

/// A file of `/proc` with a key at the beginning of each line.
package struct InfoText {
  package private(set) var bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads an open file of at most 4096 bytes from its beginning. ESRCH: the process has ended.
  package init(again raw: Int32) throws(SystemError) {
    bytes = [UInt8](repeating: 0, count: 4096)
    let count = try systemCall("read") {
      unsafe bytes.withUnsafeMutableBytes { unsafe pread(raw, $0.baseAddress, $0.count, 0) }
    }
    bytes.removeLast(bytes.count - count)
  }

  /// ENOENT or ESRCH: the file is gone.
  package init(_ path: String, isOnePiece: Bool = false) throws(SystemError) {
    let file = try Descriptor.opening(path, O_RDONLY, call: "open")
    bytes = try Files.read(file.raw, by: "read", limit: .max, isOnePiece: isOnePiece)
  }

  /// The place of the text behind a key; nil when no text line from `start` on begins with the key.
  package func place(of key: StaticString, from start: Int = 0) -> Int? {
    var line = start
    while line < bytes.count {
      if hasKey(key, at: line) { return line + key.utf8CodeUnitCount }
      guard let end = bytes[line...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      line = end + 1
    }
    return nil
  }

  package func hasKey(_ key: StaticString, at line: Int) -> Bool {
    guard line + key.utf8CodeUnitCount <= bytes.count else { return false }
    for index in 0..<key.utf8CodeUnitCount where unsafe key.utf8Start[index] != bytes[line + index] {
      return false
    }
    return true
  }

  /// The number at a place, after leading bytes that are no digits, and the place behind the number.
  package func number(at start: Int, radix: UInt64 = 10) -> (value: UInt64, end: Int) {
    var (value, index): (UInt64, Int) = (0, start)
    while index < bytes.count, Self.digit(bytes[index], radix) == nil, bytes[index] != UInt8(ascii: "\n") {
      index += 1
    }
    while index < bytes.count, let digit = Self.digit(bytes[index], radix) {
      value = value &* radix &+ digit
      index += 1
    }
    return (value, index)
  }

  package func value(_ key: StaticString, radix: UInt64 = 10) -> UInt64? {
    place(of: key).map { number(at: $0, radix: radix).value }
  }

  private static func digit(_ byte: UInt8, _ radix: UInt64) -> UInt64? {
    let value =
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
      default: radix
      }
    return value < radix ? value : nil
  }
}
