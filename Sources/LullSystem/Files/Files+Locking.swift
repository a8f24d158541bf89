internal import Glibc

extension Files {
  /// Takes the lock of an open file; false when somebody else holds it. The lock is held until it is given
  /// back, or the file is closed.
  package static func takeLock(_ raw: Int32) throws(SystemError) -> Bool {
    do {
      try systemCall("flock") { flock(raw, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      guard error.isWouldBlock else { throw error }
      return false
    }
  }

  /// The process that has taken the lock of a file, by `/proc/locks`; nil where nobody has. Another one that
  /// has the same open file may hold it now.
  package static func lockTaker(_ path: String) -> Int32? {
    guard let file = identity(path), let bytes = try? read("/proc/locks", limit: 1 << 20) else { return nil }
    let major = file.device >> 8 & 0xfff | file.device >> 32 & ~0xfff
    let device = [major, file.device & 0xff | file.device >> 12 & ~0xff]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      // 1: FLOCK  ADVISORY  WRITE 4711 00:1a:62 0 EOF
      let words = line.split(separator: " ")
      guard words.count > 5, words[1] == "FLOCK" else { continue }
      let place = words[5].split(separator: ":")
      guard place.count == 3, place[..<2].map({ UInt64($0, radix: 16) }) == device,
        UInt64(place[2]) == file.inode
      else { continue }
      return Int32(words[4])
    }
    return nil
  }

  package static func giveLockBack(_ raw: Int32) { _ = flock(raw, LOCK_UN) }

  /// Takes the lock file, which is made when it is missing; nil when somebody else holds it. The lock is held
  /// until the descriptor is closed, and so never longer than the process lives.
  package static func lock(_ path: String) throws(SystemError) -> Descriptor? {
    let file = try openRegular(path, O_RDWR | O_CREAT)
    guard try takeLock(file.raw) else { return nil }
    return file
  }
}
