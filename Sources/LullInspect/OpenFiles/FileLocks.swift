package import LullSystem

/// The locks of files for which somebody waits: of flock(2), of fcntl(2), and those of open file
/// descriptions.
package struct FileLocks: Sendable {
  /// Device and inode as `/proc/locks` writes them; the waiter where it is known.
  private var waits: [(file: [UInt8], waiter: Int32?)] = []

  /// EFBIG: there are more locks than are looked at.
  package static func awaited() throws(SystemError) -> FileLocks {
    FileLocks(try Files.read("/proc/locks", limit: 1 << 20))
  }

  /// A line behind `->` is a lock that waits: `1: -> FLOCK  ADVISORY  WRITE 4711 08:01:12345 0 EOF`.
  package init(_ text: [UInt8]) {
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "))
      guard words.count > 6, words[1].elementsEqual("->".utf8) else { continue }
      waits.append((Array(words[6]), Int32(String(decoding: words[5], as: UTF8.self))))
    }
  }

  package var isEmpty: Bool { waits.isEmpty }

  /// Leaves out the locks for which only these processes wait.
  package func without(waiters: [Int32]) -> FileLocks {
    var others = self
    others.waits.removeAll { wait in wait.waiter.map(waiters.contains) ?? false }
    return others
  }

  /// The process that took a lock may have ended since: the lock is that of the open file. At most `limit`
  /// descriptors are looked at. ENOENT or EACCES: the process has ended, or may not be inspected. The
  /// corresponding C function is `read` of `/proc/PID/fdinfo/FD`.
  package func isHeld(by process: Int32, limit: Int) throws(SystemError) -> Bool {
    for number in try NumberedEntries.all(in: "/proc/\(process)/fdinfo").prefix(limit) {
      guard let text = try? Files.read("/proc/\(process)/fdinfo/\(number)", limit: 1 << 16) else { continue }
      if holdsOne(text) { return true }
    }
    return false
  }

  /// A lock of the descriptor stands in a line such as
  /// `lock:	1: FLOCK  ADVISORY  WRITE 4711 08:01:12345 0 EOF`.
  func holdsOne(_ info: [UInt8]) -> Bool {
    let prefix = Array("lock:\t".utf8)
    for line in info.split(separator: UInt8(ascii: "\n")) where line.starts(with: prefix) {
      let words = line.dropFirst(prefix.count).split(separator: UInt8(ascii: " "))
      guard words.count > 5 else { continue }
      if waits.contains(where: { $0.file.elementsEqual(words[5]) }) { return true }
    }
    return false
  }
}
