import ArgumentParser
import LullSystem
import LullWire

extension LullCommand {
  /// Ends the process as `exit(withError:)` does, with a complaint whose lines fit the terminal.
  static func end(_ error: any Error) -> Never {
    let code = exitCode(for: error)
    let (message, mark) = (Printable.lines(fullMessage(for: error)), "Error: ")
    let text = message.hasPrefix(mark) ? "lull: \(message.dropFirst(mark.count))" : message
    let complaint = Prose.wrapped(text + "\n", columns: Style.ofStandardError().proseColumns)
    // When standard error is closed, the exit status still tells the failure.
    try? StandardStreams.write(Array(complaint.utf8), to: StandardStreams.error)
    Process.exit(code.rawValue)
  }
}
