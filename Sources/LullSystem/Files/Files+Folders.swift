internal import Glibc

/// A name in a folder.
package struct FolderEntry: Equatable, Sendable {
  /// Links are followed.
  package enum Kind: Equatable, Sendable {
    case file
    case folder(FileIdentity)
    case pipe
    case socket
    /// A device, or a kind that is not known here.
    case device
    /// A link that leads nowhere, or where this process may not look.
    case lostLink
  }

  /// It need not be UTF-8.
  package let name: [UInt8]
  package let kind: Kind
}

extension Files {
  /// Links are followed; nil when there is no file.
  package static func kind(_ path: [UInt8]) -> FolderEntry.Kind? {
    var status = stat()
    let name = path.map { CChar(bitPattern: $0) } + [0]
    guard unsafe stat(name, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .folder(FileIdentity(status))
    case S_IFIFO: return .pipe
    case S_IFSOCK: return .socket
    default: return .device
    }
  }

  /// The entries of a folder, in no order, without `.` and `..`. ENOENT: there is no folder; ENOTDIR: it is
  /// something else. The corresponding C functions are `readdir` and `stat`.
  package static func entries(of folder: [UInt8]) throws(SystemError) -> [FolderEntry] {
    try names(in: folder).map { name in
      FolderEntry(name: name, kind: kind(folder + [UInt8(ascii: "/")] + name) ?? .lostLink)
    }
  }

  package static func subdirectories(of path: String) throws(SystemError) -> [String] {
    try names(in: Array(path.utf8), ofFoldersAlone: true).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func names(
    in folder: [UInt8], ofFoldersAlone: Bool = false
  ) throws(SystemError) -> [[UInt8]] {
    let text = String(decoding: folder, as: UTF8.self)
    guard let stream = unsafe opendir(folder.map { CChar(bitPattern: $0) } + [0]) else {
      throw SystemError("opendir \(text)")
    }
    defer { unsafe closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = unsafe readdir(stream) {
      guard unsafe !ofFoldersAlone || entry.pointee.d_type == UInt8(DT_DIR) else { continue }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      if name != [UInt8(ascii: ".")], name != Array("..".utf8) { names.append(name) }
    }
    return names
  }

  /// Makes one directory for its owner alone (0700). EEXIST: there is one; ENOENT: none above it.
  package static func makeDirectory(_ path: String) throws(SystemError) {
    try systemCall("mkdir") { unsafe mkdir(path, 0o700) }
  }

  /// Makes a directory (0700) and those above it that are missing.
  package static func makeDirectories(_ path: String) throws(SystemError) {
    do {
      try systemCall("mkdir \(path)") { unsafe mkdir(path, 0o700) }
    } catch {
      if error.isExisting { return }
      guard error.isNoSuchFile, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
        throw error
      }
      try makeDirectories(String(path[..<slash]))
      do {
        try systemCall("mkdir \(path)") { unsafe mkdir(path, 0o700) }
      } catch {
        // The race: another process makes the same directories.
        guard error.isExisting else { throw error }
      }
    }
  }

  /// ENOENT: the directory was removed.
  package static func workingDirectory() throws(SystemError) -> [UInt8] {
    var room = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard unsafe getcwd(&room, room.count) != nil else { throw SystemError("getcwd") }
    return room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  }

  /// The path from the root on; a relative one begins at the working directory. Links stay as they are.
  package static func absolutePath(_ path: [UInt8]) throws(SystemError) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    guard path.first != slash else { return path }
    let directory = try workingDirectory()
    return (directory == [slash] ? [] : directory) + [slash] + path
  }
}
