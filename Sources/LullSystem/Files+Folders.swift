internal import Glibc

/// A name in a folder, and what stands behind it.
public struct FolderEntry: Equatable, Sendable {
  /// What it is, behind all links.
  public enum Kind: Equatable, Sendable {
    case file
    /// A folder, which is told from others by this.
    case folder(FileIdentity)
    /// A pipe, a device, a link that leads nowhere.
    case other
  }

  /// The bytes of its name, which need not be UTF-8.
  public let name: [UInt8]
  /// What it is.
  public let kind: Kind
}

extension Files {
  /// What a path leads to, behind all links; nil when there is nothing. The corresponding C function is
  /// `stat`.
  public static func kind(_ path: [UInt8]) -> FolderEntry.Kind? {
    var status = stat()
    let name = path.map { CChar(bitPattern: $0) } + [0]
    guard unsafe stat(name, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .folder(FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)))
    default: return .other
    }
  }

  /// What stands in a folder, in no order, without `.` and `..`. ENOENT: there is none; ENOTDIR: it is none.
  /// The corresponding C functions are `readdir` and `stat`.
  public static func entries(of folder: [UInt8]) throws(SystemError) -> [FolderEntry] {
    let text = String(decoding: folder, as: UTF8.self)
    guard let stream = unsafe opendir(folder.map { CChar(bitPattern: $0) } + [0]) else {
      throw SystemError("opendir \(text)")
    }
    defer { unsafe closedir(stream) }
    var entries: [FolderEntry] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      guard name != [UInt8(ascii: ".")], name != Array("..".utf8) else { continue }
      entries.append(FolderEntry(name: name, kind: kind(folder + [UInt8(ascii: "/")] + name) ?? .other))
    }
    return entries
  }
}
