internal import CLinux
internal import Glibc

package struct FileStatus: Equatable, Sendable {
  package enum Shape: Equatable, Sendable {
    case socket, pipe, characterDevice
    /// A file that has no name, such as an eventfd; all of these have the same identity.
    case anonymous
    /// A file, a directory or a block device, which is always ready.
    case stored
  }

  package let identity: FileIdentity
  package let shape: Shape
  let isBlockDevice: Bool
  /// The major number of a device, and of the disk of any other file.
  let device: UInt32, disk: UInt32

  /// The status of a descriptor of any kind. The call never waits for the server of a file. The corresponding
  /// C function is `statx(AT_STATX_DONT_SYNC)`.
  package static func of(_ raw: Int32) throws(SystemError) -> FileStatus {
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
    return FileStatus(
      identity: FileIdentity(device: status.device, inode: status.inode), shape: shape,
      isBlockDevice: status.mode & S_IFMT == S_IFBLK, device: status.major, disk: status.disk_major)
  }

  package static func isMessageQueue(_ raw: Int32) -> Bool {
    clinux_is_message_queue(raw) == 1
  }
}
