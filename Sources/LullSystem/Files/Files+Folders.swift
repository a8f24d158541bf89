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
    case S_IFDIR: return .folder(FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)))
    case S_IFIFO: return .pipe
    case S_IFSOCK: return .socket
    default: return .device
    }
  }

  /// The entries of a folder, in no order, without `.` and `..`. ENOENT: there is no folder; ENOTDIR: it is
  /// something else. The corresponding C functions are `readdir` and `stat`.
  package static func entries(of folder: [UInt8]) throws(SystemError) -> [FolderEntry] {
    let text = String(decoding: folder, as: UTF8.self)
    guard let stream = unsafe opendir(folder.map { CChar(bitPattern: $0) } + [0]) else {
      throw SystemError("opendir \(text)")
    }
    defer { unsafe closedir(stream) }
    var entries: [FolderEntry] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      guard name != [UInt8(ascii: ".")], name != Array("..".utf8) else { continue }
      entries.append(FolderEntry(name: name, kind: kind(folder + [UInt8(ascii: "/")] + name) ?? .lostLink))
    }
    return entries
  }
}
