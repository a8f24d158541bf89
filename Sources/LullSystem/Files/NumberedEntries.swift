internal import Glibc

/// The entries of a directory of `/proc` whose names are numbers, one after the other.
@safe package struct NumberedEntries: ~Copyable {
  private let stream: OpaquePointer

  /// ENOENT: no such directory; EACCES: not permitted.
  package init(_ path: String) throws(SystemError) {
    guard let opened = unsafe opendir(path) else { throw SystemError("opendir \(path)") }
    unsafe stream = opened
  }

  deinit {
    unsafe closedir(stream)
  }

  package var raw: Int32 { unsafe dirfd(stream) }

  /// Nil after the last number.
  package mutating func next() -> Int32? {
    while let entry = unsafe readdir(stream) {
      let number = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Self.number($0) }
      if let number { return number }
    }
    return nil
  }

  /// The access that the permission bits of an entry, not of its link's target, allow its owner; full access
  /// when the entry is gone.
  package func ownerMay(_ number: Int32) -> (read: Bool, write: Bool) {
    var status = stat()
    guard unsafe fstatat(raw, "\(number)", &status, AT_SYMLINK_NOFOLLOW) == 0 else { return (true, true) }
    return (status.st_mode & S_IRUSR != 0, status.st_mode & S_IWUSR != 0)
  }

  private static func number(_ name: UnsafeRawBufferPointer) -> Int32? {
    var (value, length): (Int32, Int) = (0, 0)
    while let digit = unsafe digit(name[length]) {
      value = value &* 10 &+ digit
      length += 1
    }
    return unsafe length > 0 && name[length] == 0 ? value : nil
  }

  private static func digit(_ byte: UInt8) -> Int32? {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? Int32(byte - UInt8(ascii: "0")) : nil
  }
}
