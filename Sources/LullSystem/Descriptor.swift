internal import Glibc

/// An open descriptor with one owner; it is closed when the owner ends.
public struct Descriptor: ~Copyable, Sendable {
  /// The number, valid while this value lives.
  public let raw: Int32

  /// Takes over a descriptor that nobody else closes.
  public init(owning raw: Int32) {
    precondition(raw >= 0, "not a descriptor")
    self.raw = raw
  }

  deinit {
    closeDescriptor(raw)
  }

  /// Gives the number away; the caller closes it.
  public consuming func take() -> Int32 {
    let number = raw
    discard self
    return number
  }

  /// Another descriptor of the same open file, closed on exec.
  /// The corresponding C function is `fcntl(F_DUPFD_CLOEXEC)`.
  public func duplicate() throws(SystemError) -> Descriptor {
    try Descriptor(owning: systemCall("fcntl(F_DUPFD_CLOEXEC)") { fcntl(raw, F_DUPFD_CLOEXEC, 3) })
  }

  /// A duplicate of a descriptor that somebody else owns, closed on exec. EBADF: the number is not open.
  /// The corresponding C function is `fcntl(F_DUPFD_CLOEXEC)`.
  public static func duplicating(_ raw: Int32) throws(SystemError) -> Descriptor {
    let call = "fcntl(F_DUPFD_CLOEXEC)"
    return try Descriptor(owning: systemCall(call, on: .foreign) { fcntl(raw, F_DUPFD_CLOEXEC, 3) })
  }

  /// Which file this is. The corresponding C function is `fstat`.
  public func identity() throws(SystemError) -> FileIdentity {
    try FileIdentity.of(raw)
  }

  /// Makes reads and writes return instead of waiting. The flag belongs to the open file and so to every
  /// duplicate: never for a descriptor that came from another process. The corresponding C function is
  /// `fcntl(F_SETFL)`.
  public func setNonBlocking() throws(SystemError) {
    let flags = try systemCall("fcntl(F_GETFL)") { fcntl(raw, F_GETFL) }
    try systemCall("fcntl(F_SETFL)") { fcntl(raw, F_SETFL, flags | O_NONBLOCK) }
  }
}

/// Linux closes the descriptor even when close(2) reports EINTR or an I/O error: a second attempt could close
/// a descriptor that was opened since. EBADF means that somebody closed it twice.
func closeDescriptor(_ raw: Int32) {
  let result = close(raw)
  precondition(result == 0 || errno != EBADF, "descriptor closed twice")
}

/// Which file a descriptor stands for: two descriptors of one socket have the same identity.
public struct FileIdentity: Hashable, Sendable {
  /// The device that holds the file.
  public let device: UInt64
  /// The file's number on its device.
  public let inode: UInt64

  /// The identity of the file behind a descriptor of any kind.
  /// The corresponding C function is `fstat`.
  public static func of(_ raw: Int32) throws(SystemError) -> FileIdentity {
    var status = stat()
    try systemCall("fstat", on: .foreign) { unsafe fstat(raw, &status) }
    return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }
}
