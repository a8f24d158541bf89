internal import CLinux
internal import Glibc

/// The entries of a directory of `/proc` whose names are numbers, one after the other.
package struct NumberedEntries: ~Copyable {
  private let directory: DescriptorBox
  private var room = [UInt8](repeating: 0, count: 4096)
  private var (filled, place) = (0, 0)

  /// ENOENT: no such directory; EACCES: not permitted.
  package init(_ path: String) throws(SystemError) {
    directory = DescriptorBox(try Files.openDirectory(path))
  }

  /// Lists an open directory from its beginning.
  init(again directory: DescriptorBox) {
    self.directory = directory
    lseek(directory.raw, 0, SEEK_SET)
  }

  package var raw: Int32 { directory.raw }

  /// Nil after the last number. The corresponding C function is `getdents64`.
  package mutating func next() -> Int32? {
    while place < filled || fill() {
      // A record is that of `struct linux_dirent64`: its length stands at 16, its name at 19.
      let (length, name) = (Int(room[place + 16]) | Int(room[place + 17]) << 8, place + 19)
      place += length
      if let number = number(at: name) { return number }
    }
    return nil
  }

  /// All that are left.
  mutating func rest() -> [Int32] {
    var numbers: [Int32] = []
    while let number = next() { numbers.append(number) }
    return numbers
  }

  /// The numbers in a directory. ENOENT: no such directory; EACCES: not permitted.
  package static func all(in path: String) throws(SystemError) -> [Int32] {
    var entries = try NumberedEntries(path)
    return entries.rest()
  }

  private mutating func fill() -> Bool {
    let raw = directory.raw
    filled = unsafe room.withUnsafeMutableBytes {
      unsafe clinux_read_directory(raw, $0.baseAddress, $0.count)
    }
    place = 0
    return filled > 0
  }

  private func number(at start: Int) -> Int32? {
    var (value, end): (Int32, Int) = (0, start)
    while room[end] >= UInt8(ascii: "0"), room[end] <= UInt8(ascii: "9") {
      value = value &* 10 &+ Int32(room[end] - UInt8(ascii: "0"))
      end += 1
    }
    return end > start && room[end] == 0 ? value : nil
  }

  /// The access that the permission bits of an entry, not of its link's target, allow its owner; full access
  /// when the entry is gone.
  package func ownerMay(_ number: Int32) -> (read: Bool, write: Bool) {
    var status = stat()
    guard unsafe fstatat(raw, "\(number)", &status, AT_SYMLINK_NOFOLLOW) == 0 else { return (true, true) }
    return (status.st_mode & S_IRUSR != 0, status.st_mode & S_IWUSR != 0)
  }
}
