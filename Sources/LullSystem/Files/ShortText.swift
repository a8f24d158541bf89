internal import Glibc

/// A short text of the kernel's, read and taken apart in place.
package struct ShortText {
  /// The text, in the first `count` bytes; a longer text is cut off.
  package private(set) var bytes = InlineArray<512, UInt8>(repeating: 0)
  package private(set) var count = 0

  package init() {}

  package mutating func read(_ path: String) throws(SystemError) {
    let file = try Descriptor.opening(path, O_RDONLY, call: "open")
    try read(again: file.raw)
  }

  package mutating func read(_ name: StaticString, in directory: Int32) throws(SystemError) {
    let name = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    let file = try Descriptor(
      owning: systemCall("open") { unsafe openat(directory, name, O_RDONLY | O_CLOEXEC) })
    try read(again: file.raw)
  }

  /// Reads an open file from its beginning. The corresponding C function is `pread`.
  package mutating func read(again raw: Int32) throws(SystemError) {
    count = try systemCall("read") {
      var room = bytes.mutableSpan
      return unsafe room.withUnsafeMutableBytes { unsafe pread(raw, $0.baseAddress, $0.count, 0) }
    }
  }

  package mutating func readLink(_ path: String) throws(SystemError) {
    try readLink(path, in: AT_FDCWD)
  }

  package mutating func readLink(_ path: String, in directory: Int32) throws(SystemError) {
    count = try systemCall("readlink") {
      var room = bytes.mutableSpan
      return unsafe room.withUnsafeMutableBytes { room in
        guard let start = unsafe room.baseAddress?.assumingMemoryBound(to: CChar.self) else { return 0 }
        return unsafe readlinkat(directory, path, start, room.count)
      }
    }
  }

  package func hasPrefix(_ prefix: StaticString) -> Bool {
    guard prefix.utf8CodeUnitCount <= count else { return false }
    for index in 0..<prefix.utf8CodeUnitCount where unsafe prefix.utf8Start[index] != bytes[index] {
      return false
    }
    return true
  }

  /// Nil when there is no digit.
  package func number(at start: Int) -> UInt64? {
    var (value, index): (UInt64, Int) = (0, start)
    while index < count, bytes[index] >= UInt8(ascii: "0"), bytes[index] <= UInt8(ascii: "9") {
      value = value &* 10 &+ UInt64(bytes[index] - UInt8(ascii: "0"))
      index += 1
    }
    return index > start ? value : nil
  }

  /// Bytes that are not UTF-8 are replaced.
  package var string: String {
    String(decoding: (0..<count).map { bytes[$0] }, as: UTF8.self)
  }
}
