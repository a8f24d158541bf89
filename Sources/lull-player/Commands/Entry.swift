import ArgumentParser
import LullPlayer
import LullSystem
import LullWire

@main
enum Entry {
  static func main() {
    StandardStreams.reserve()
    do {
      let words = RawArguments.texts()
      try PlayerCommand.check(words)
      var command = try PlayerCommand.parseAsRoot(words)
      try command.run()
    } catch let failure as Failure {
      exit(failure)
    } catch {
      if PlayerCommand.exitCode(for: error).isSuccess { printAnswer(PlayerCommand.fullMessage(for: error)) }
      end(error)
    }
  }

  /// Ends the process as `exit(withError:)` does, with a complaint that begins as all others do.
  private static func end(_ error: any Error) -> Never {
    let (message, mark) = (Printable.lines(PlayerCommand.fullMessage(for: error)), "Error: ")
    let text = message.hasPrefix(mark) ? "lull-player: \(message.dropFirst(mark.count))" : message
    // When standard error is closed, the exit status still tells the failure.
    try? StandardStreams.write(Array("\(text)\n".utf8), to: StandardStreams.error)
    Process.exit(PlayerCommand.exitCode(for: error).rawValue)
  }

  /// Prints what `--help` or `--version` asked for. The parser itself would not tell a failure.
  private static func printAnswer(_ text: String) -> Never {
    do {
      try StandardOutput.write(text + "\n")
      Process.exit(0)
    } catch {
      exit(error)
    }
  }

  private static func exit(_ failure: Failure) -> Never {
    if let message = failure.message { StandardOutput.complain(message) }
    Process.exit(failure.exitStatus)
  }
}

/// A name that is not UTF-8 becomes its `file:` URL: as text of Swift it would lose its bytes.
enum RawArguments {
  static func texts() -> [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { place in
      guard let start = unsafe CommandLine.unsafeArgv[place] else { return nil }
      let count = (0...).first { unsafe start[$0] == 0 } ?? 0
      return text((0..<count).map { unsafe UInt8(bitPattern: start[$0]) })
    }
  }

  static func text(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return FileURL.text(path: (try? Files.absolutePath(bytes)) ?? bytes)
  }
}
