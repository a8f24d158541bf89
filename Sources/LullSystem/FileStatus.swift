internal import CLinux
internal import Glibc

/// What a descriptor stands for, as far as one call tells.
public struct FileStatus: Equatable, Sendable {
  /// What the kernel calls the type of a file.
  public enum Shape: Equatable, Sendable {
    case socket, pipe, characterDevice
    /// A file that has no name, such as an eventfd; all of these have the same identity.
    case anonymous
    /// A file, a directory or a block device, which is always ready.
    case stored
  }

  /// Which file it is.
  public let identity: FileIdentity
  /// What type of file.
  public let shape: Shape

  /// The status of a descriptor of any kind. It never waits for the server of a file.
  /// The corresponding C function is `statx(AT_STATX_DONT_SYNC)`.
  public static func of(_ raw: Int32) throws(SystemError) -> FileStatus {
    var status = clinux_file_status()
    try systemCall("statx", on: .foreign) { unsafe clinux_file_status(raw, &status) }
    let shape: Shape =
      switch status.mode & S_IFMT {
      case S_IFSOCK: .socket
      case S_IFIFO: .pipe
      case S_IFCHR: .characterDevice
      case 0: .anonymous
      default: .stored
      }
    return FileStatus(identity: FileIdentity(device: status.device, inode: status.inode), shape: shape)
  }
}

extension OpenFile {
  /// What one descriptor of a process stands for. ENOENT: it is not open; EACCES: no ptrace right over the
  /// process.
  /// The corresponding C function is `readlink` of `/proc/PID/fd/N`.
  public static func kind(of number: Int32, in pid: Int32) throws(SystemError) -> Kind {
    var link = ShortText()
    try link.readLink("/proc/\(pid)/fd/\(number)", in: AT_FDCWD)
    return Kind(link)
  }
}
