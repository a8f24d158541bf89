import ArgumentParser
import LullSystem
import LullWire

/// The options of `run` for a program that nobody waits for.
struct DetachOptions: ParsableArguments {
  enum Input: String, ExpressibleByArgument {
    case empty, open
  }

  @Flag(
    help: """
      Do not wait for it: print its name and process id. It holds nothing of this shell's. Its output goes \
      to a log ("lull logs NAME").
      """)
  var detach = false
  @Flag(help: "Give the detached program a terminal of its own, which \"lull attach NAME\" joins.")
  var tty = false
  @Option(
    help: ArgumentHelp(
      "The input of the detached program: empty, or open and silent until \"lull attach\" sends lines.",
      valueName: "empty|open"))
  var stdin: Input?
  @Option(
    help: ArgumentHelp("Append the output of the detached program to this file.", valueName: "file"),
    completion: .file())
  var output: String?

  /// Checks what goes together.
  func check() throws(Failure) {
    for (name, isGiven) in [("--tty", tty), ("--stdin", stdin != nil), ("--output", output != nil)] {
      guard isGiven, !detach else { continue }
      throw .usage("\(name): only for a detached program; give --detach too")
    }
    guard !tty || stdin == nil else {
      throw .usage("--stdin: the input of a program with --tty is its terminal; give one of both")
    }
  }

  /// The record of a command with these options.
  func record(_ request: Request.Run, _ command: CommandBlock) throws(Failure) -> ProgramRecord {
    let output = try outputFile()
    do throws(SystemError) {
      var record = ProgramRecord(
        request: request, words: command.arguments, environment: command.environment,
        directory: try Files.workingDirectory(), umask: FileCreationMask.current(),
        limits: try ResourceLimit.all())
      record.output = output
      record.isInputOpen = stdin == .open
      record.terminal = tty ? Self.size() : nil
      return record
    } catch {
      throw .failed("the command cannot be started: \(error)")
    }
  }

  /// The absolute path of the file for the output; refused when it cannot be written.
  private func outputFile() throws(Failure) -> [UInt8]? {
    guard let output else { return nil }
    do throws(SystemError) {
      let path = try Files.absolutePath(Array(output.utf8))
      _ = try Files.openAtEnd(path, mode: 0o666)
      return path
    } catch {
      throw .failed("--output \(output): cannot be written (\(error.message))")
    }
  }

  /// The size of this process's terminal, so that who joins from it changes nothing.
  private static func size() -> TerminalSize {
    [StandardStreams.output, StandardStreams.input, StandardStreams.error]
      .compactMap { Terminal.size($0) }.first ?? .usual
  }
}
