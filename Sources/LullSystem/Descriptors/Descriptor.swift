internal import Glibc

/// An open descriptor with one owner; it is closed when the owner ends.
package struct Descriptor: ~Copyable, Sendable {
  package let raw: Int32

  /// Nobody else may close the descriptor.
  package init(owning raw: Int32) {
    precondition(raw >= 0, "not a descriptor")
    self.raw = raw
  }

  deinit {
    closeDescriptor(raw)
  }

  /// The caller has to close the number.
  package consuming func take() -> Int32 {
    let number = raw
    discard self
    return number
  }

  /// Another descriptor of the same open file, closed on exec.
  package func duplicate() throws(SystemError) -> Descriptor {
    try Descriptor(owning: systemCall("fcntl(F_DUPFD_CLOEXEC)") { fcntl(raw, F_DUPFD_CLOEXEC, 3) })
  }

  /// The same open file under a number that is closed early when the process is killed: Linux closes the
  /// highest numbers first, and a PSI trigger takes a grace period of RCU (8 ms) to close. Where no number is
  /// left it stays what it is.
  package consuming func closedEarly() -> Descriptor {
    let number = fcntl(raw, F_DUPFD_CLOEXEC, 512)
    return number < 0 ? self : Descriptor(owning: number)
  }

  /// A duplicate of a descriptor that somebody else owns, closed on exec. EBADF: the number is not open.
  package static func duplicating(_ raw: Int32) throws(SystemError) -> Descriptor {
    let call = "fcntl(F_DUPFD_CLOEXEC)"
    return try Descriptor(owning: systemCall(call, on: .foreign) { fcntl(raw, F_DUPFD_CLOEXEC, 3) })
  }

  /// Closed on exec. `call` stands in an error in place of the path.
  static func opening(_ path: String, _ flags: Int32, call: String? = nil) throws(SystemError) -> Descriptor {
    try Descriptor(owning: systemCall(call ?? "open \(path)") { unsafe open(path, flags | O_CLOEXEC) })
  }

  /// The path need not be UTF-8.
  static func opening(_ path: [UInt8], _ flags: Int32, mode: UInt32 = 0) throws(SystemError) -> Descriptor {
    let name = path.map { CChar(bitPattern: $0) } + [0]
    let text = String(decoding: path, as: UTF8.self)
    return try Descriptor(owning: systemCall("open \(text)") { unsafe open(name, flags | O_CLOEXEC, mode) })
  }

  /// Keeps reads and writes of an open file from waiting, for all who share it.
  package static func stopBlocking(_ raw: Int32) throws(SystemError) {
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

func openFileStatus(_ raw: Int32, on origin: DescriptorOrigin = .own) throws(SystemError) -> stat {
  var status = stat()
  try systemCall("fstat", on: origin) { unsafe fstat(raw, &status) }
  return status
}

/// The identity of a descriptor's file: two descriptors of one socket have the same identity.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64

  init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }

  init(_ status: stat) { self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)) }

  package static func of(_ raw: Int32) throws(SystemError) -> FileIdentity {
    FileIdentity(try openFileStatus(raw, on: .foreign))
  }
}
