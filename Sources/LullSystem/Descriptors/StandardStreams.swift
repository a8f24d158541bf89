internal import Glibc

/// Standard input, output and error, and other descriptors that are read and written like files.
package enum StandardStreams {
  package static let input: Int32 = 0
  package static let output: Int32 = 1
  package static let error: Int32 = 2

  /// Gives up what this process has from its parent, but for standard error: /dev/null becomes its standard
  /// input and output, and other inherited descriptors are closed.
  package static func letGo() throws(SystemError) {
    let null = try Files.openNull()
    for number in [input, output] { try systemCall("dup2") { dup2(null.raw, number) } }
    for number in try NumberedEntries.all(in: "/proc/self/fd")
    where number > error && fcntl(number, F_GETFD) == 0 {
      _ = close(number)
    }
  }

  /// Text for standard error is lost from now on: nobody reads it any more.
  package static func letGoOfError() throws(SystemError) {
    let null = try Files.openNull()
    try systemCall("dup2") { dup2(null.raw, error) }
  }

  /// Writes all bytes, waiting where it must. EPIPE: nobody reads (where SIGPIPE is ignored).
  package static func write(_ bytes: [UInt8], to raw: Int32) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      switch try writePart(bytes[written...], to: raw) {
      case .sent(let count): written += count
      case .wouldBlock: _ = try Socket.poll(raw, .writable, timeoutMilliseconds: -1)
      case .closed: throw SystemError(code: EPIPE, call: "write")
      }
    }
  }

  /// Writes what there is room for, without waiting where the descriptor is non-blocking.
  package static func writePart(_ bytes: ArraySlice<UInt8>, to raw: Int32) throws(SystemError) -> SendOutcome
  {
    try sendOutcome("write", on: .foreign) {
      unsafe bytes.withUnsafeBytes { bytes in unsafe Glibc.write(raw, bytes.baseAddress, bytes.count) }
    }
  }

  /// Waits for bytes unless the descriptor is non-blocking.
  package static func read(_ raw: Int32, into buffer: inout ReceiveBuffer) throws(SystemError) -> ReadOutcome
  {
    try readOutcome("read", on: .foreign) {
      unsafe buffer.fill { room, count in unsafe Glibc.read(raw, room, count) }
    }
  }

  /// Takes the numbers of the standard streams that this process was started without. Otherwise the next file
  /// or connection would get the number, and what is printed would go there. Reading and writing them fails
  /// with EBADF, and a program that is executed does not get them. The corresponding C functions are `fcntl`
  /// and `open`.
  package static func reserve() {
    for raw in [input, output, error] where !isOpen(raw) {
      let flags = (raw == input ? O_WRONLY : O_RDONLY) | O_CLOEXEC
      _ = unsafe open("/dev/null", flags)
    }
  }

  package static func isOpen(_ raw: Int32) -> Bool { fcntl(raw, F_GETFD) != -1 }
}
