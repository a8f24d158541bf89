import ArgumentParser
import LullSystem
import LullWire

struct DetachOptions: ParsableArguments {
  @Flag(
    help: """
      Do not wait for it: print its name and process id, or fail when it dies within 200 ms. It holds \
      nothing of this shell's. Its output goes to a log ("lull logs NAME").
      """)
  var detach = false
  @OptionGroup var streams: StreamOptions

  func check() throws(Failure) {
    if let name = streams.given.first, !detach {
      throw .usage("\(name): only for a detached program; give --detach too")
    }
    try streams.check()
  }

  func record(_ request: Request.Run, _ command: CommandBlock) throws(Failure) -> ProgramRecord {
    let output = try streams.outputFile()
    do throws(SystemError) {
      var record = ProgramRecord(
        request: request, words: command.arguments, environment: command.environment,
        directory: try Files.workingDirectory(), umask: FileCreationMask.current(),
        limits: try ResourceLimit.all())
      record.output = output
      record.isInputOpen = streams.input == .open
      record.terminal = streams.tty ? Self.size() : nil
      return record
    } catch {
      throw .failed("the command cannot be started: \(error)")
    }
  }

  /// The size of this process's terminal, so that who joins from it changes nothing.
  private static func size() -> TerminalSize {
    [StandardStreams.output, StandardStreams.input, StandardStreams.error]
      .compactMap { Terminal.size($0) }.first ?? .usual
  }
}
