import LullSystem
import LullWire

/// Standard output and error, unbuffered.
enum StandardOutput {
  static func write(_ text: String) throws(Failure) {
    do {
      try StandardStreams.write(Array(text.utf8), to: StandardStreams.output)
    } catch  where error.isConnectionLost {
      throw .status(128 + Signal.pipe)
    } catch  where error.isBadDescriptor {
      throw .failed("the output cannot be written: standard output is closed")
    } catch {
      throw .failed("the output cannot be written: \(error.message)")
    }
  }

  /// Writes a text line to standard error.
  static func complain(_ text: String) {
    // When standard error is closed, the exit status still tells the failure.
    try? StandardStreams.write(
      Array("lull-player: \(Printable.text(text))\n".utf8), to: StandardStreams.error)
  }
}
