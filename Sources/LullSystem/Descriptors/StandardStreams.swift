internal import Glibc

/// Standard input, output and error, and other descriptors that are read and written like files.
package enum StandardStreams {
  /// The number of standard input.
  package static let input: Int32 = 0
  /// The number of standard output.
  package static let output: Int32 = 1
  /// The number of standard error.
  package static let error: Int32 = 2

  /// Writes all bytes, waiting where it must. EPIPE: nobody reads (where SIGPIPE is ignored).
  /// The corresponding C function is `write`.
  package static func write(_ bytes: [UInt8], to raw: Int32) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let outcome = try sendPart(bytes, from: written, to: raw)
      switch outcome {
      case .sent(let count): written += count
      case .wouldBlock: _ = try Socket.poll(raw, .writable, timeoutMilliseconds: -1)
      case .closed: throw SystemError(code: EPIPE, call: "write")
      }
    }
  }

  private static func sendPart(_ bytes: [UInt8], from start: Int, to raw: Int32) throws(SystemError)
    -> SendOutcome
  {
    try sendOutcome("write", on: .foreign) {
      unsafe bytes.withUnsafeBytes { bytes in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
        return unsafe Glibc.write(raw, rest.baseAddress, rest.count)
      }
    }
  }

  /// Reads the bytes that are there; waits for some unless the descriptor is non-blocking. The corresponding
  /// C function is `read`.
  package static func read(_ raw: Int32, into buffer: inout ReceiveBuffer) throws(SystemError) -> ReadOutcome
  {
    try readOutcome("read", on: .foreign) {
      unsafe buffer.fill { room, count in unsafe Glibc.read(raw, room, count) }
    }
  }
}
