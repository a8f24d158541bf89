internal import Glibc

extension Files {
  /// Reads at most `count` bytes of an open file from an offset on, without moving its place; fewer at its end.
  /// The corresponding C function is `pread`.
  public static func read(_ raw: Int32, at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let more = try systemCall("pread", on: .foreign) {
        unsafe bytes.withUnsafeMutableBytes { room in
          let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[filled...])
          return unsafe pread(raw, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
        }
      }
      guard more > 0 else { break }
      filled += more
    }
    bytes.removeSubrange(filled...)
    return bytes
  }
}
