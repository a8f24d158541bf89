internal import Glibc

/// Standard input, output and error, and other descriptors that are read and written like files.
public enum StandardStreams {
  /// The number of standard input.
  public static let input: Int32 = 0
  /// The number of standard output.
  public static let output: Int32 = 1
  /// The number of standard error.
  public static let error: Int32 = 2

  /// Writes all bytes, waiting where it must. EPIPE: nobody reads (where SIGPIPE is ignored).
  /// The corresponding C function is `write`.
  public static func write(_ bytes: [UInt8], to raw: Int32) throws(SystemError) {
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

  /// Reads what is there; waits for it unless the descriptor is non-blocking. The corresponding C function is
  /// `read`.
  public static func read(_ raw: Int32, into buffer: inout ReceiveBuffer) throws(SystemError) -> ReadOutcome {
    try readOutcome("read", on: .foreign) {
      unsafe buffer.fill { room, count in unsafe Glibc.read(raw, room, count) }
    }
  }
}

/// Terminals.
public enum Terminal {
  /// The size of a terminal, in characters.
  public struct Size: Hashable, Sendable {
    /// Characters per line.
    public let columns: Int
    /// Lines.
    public let rows: Int
  }

  /// Whether a descriptor is a terminal. The corresponding C function is `isatty`.
  public static func isTerminal(_ raw: Int32) -> Bool {
    isatty(raw) == 1
  }

  /// The size of a terminal; nil for anything else, and where the terminal does not know it.
  /// The corresponding C function is `ioctl(TIOCGWINSZ)`.
  public static func windowSize(_ raw: Int32) -> Size? {
    var size = winsize()
    guard unsafe ioctl(raw, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}
