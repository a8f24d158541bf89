internal import Glibc

extension Files {
  /// Replaces a file as a whole: a reader, and a start after a crash, sees the old bytes or the new ones. The file is the
  /// owner's alone (0600). The corresponding C functions are `open(O_CREAT)`, `write` and `rename`.
  public static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    let draft = path + ".new"
    do {
      let file = try create(draft)
      try StandardStreams.write(bytes, to: file.raw)
    }
    try systemCall("rename \(path)") { unsafe rename(draft, path) }
  }

  /// An empty file for writing, the owner's alone (0600); what was there is dropped. The corresponding C function is
  /// `open(O_CREAT | O_TRUNC)`.
  public static func create(_ path: String) throws(SystemError) -> Descriptor {
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
    return try Descriptor(owning: systemCall("open \(path)") { unsafe open(path, flags, 0o600) })
  }

  /// Makes a directory (0700) and those above it that are missing. The corresponding C function is `mkdir`.
  public static func makeDirectories(_ path: String) throws(SystemError) {
    do {
      try systemCall("mkdir \(path)") { unsafe mkdir(path, 0o700) }
    } catch {
      if error.isExisting { return }
      guard error.isNoSuchFile, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
        throw error
      }
      try makeDirectories(String(path[..<slash]))
      try systemCall("mkdir \(path)") { unsafe mkdir(path, 0o700) }
    }
  }
}
