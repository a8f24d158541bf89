import LullSystem

/// The program's input and output: pipes, or a terminal.
struct KeeperStreams {
  struct Program {
    let input: DescriptorBox
    let output: DescriptorBox
    /// The terminal that becomes the one of its session.
    let terminal: DescriptorBox?
  }

  /// The end where its output arrives, non-blocking.
  let output: DescriptorBox
  /// The end to which its input is written, non-blocking; nil: its input is empty.
  let input: DescriptorBox?
  let isTerminal: Bool
  /// A terminal stays open here as long as the command runs, so that the command may close and open it as it
  /// likes.
  private(set) var program: Program?

  static func open(_ record: ProgramRecord) throws(SystemError) -> KeeperStreams {
    if let size = record.terminal {
      let ends = try PseudoTerminal.open(size)
      return .init(
        output: ends.master, input: ends.master, isTerminal: true,
        program: .init(input: ends.terminal, output: ends.terminal, terminal: ends.terminal))
    }
    let output = try Pipe.open()
    try Descriptor.stopBlocking(output.reading.raw)
    guard record.isInputOpen else {
      let nothing = DescriptorBox(try Files.openNull())
      return .init(
        output: output.reading, input: nil, isTerminal: false,
        program: .init(input: nothing, output: output.writing, terminal: nil))
    }
    let input = try Pipe.open()
    try Descriptor.stopBlocking(input.writing.raw)
    return .init(
      output: output.reading, input: input.writing, isTerminal: false,
      program: .init(input: input.reading, output: output.writing, terminal: nil))
  }

  mutating func closeProgramEnds() { program = nil }

  /// Gives `endOfStream` also where a terminal has no program any more.
  func read(into buffer: inout ReceiveBuffer) throws(SystemError) -> ReadOutcome {
    do throws(SystemError) {
      return try StandardStreams.read(output.raw, into: &buffer)
    } catch {
      guard isTerminal, error.isInputOutput else { throw error }
      return .endOfStream
    }
  }
}
