import ArgumentParser
import LullSystem
import LullWire

struct AttachCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attach",
    abstract: "Join a detached program: see its output and type to it.",
    discussion: """
      A program of "lull run --detach --tty" gets every key, also Ctrl-C and Ctrl-Z; Ctrl-] leaves it, and \
      it runs on. Without --tty its output is shown, and with --stdin open lines are sent to it; Ctrl-C \
      leaves. Several may join at once. The program is not woken before something is typed; one with --tty \
      is in the foreground from then on, and does not sleep until the last who has typed has left.

      Exit status: 0 when left; that of the program when it ends.

      Example: lull attach phone
      """)

  @OptionGroup var program: ProgramArgument
  @Option(
    help: ArgumentHelp(
      "The keys that leave, such as ctrl-p,ctrl-q (default: ctrl-]).", valueName: "keys"))
  var detachKeys: String?

  func run() throws(Failure) {
    let keys = try detachKeys.map { text throws(Failure) in try DetachKeys(text) } ?? .usual
    guard ProgramName.isValid(program.name), let keeper = try KeeperConnection(program.name) else {
      throw KeptPrograms.unknown(program.name)
    }
    keeper.send(.attach)
    guard let (answer, descriptor) = try keeper.answer(), let stream = descriptor,
      case .attached(let hasTerminal, let takesInput) = answer
    else { throw .failed("the keeper of \(program.name) has ended") }
    var session = try AttachSession(
      program.name, keeper: keeper, stream: stream, keys: keys, hasTerminal: hasTerminal,
      takesInput: takesInput)
    // The race: a key that follows the word is the program's, and the terminal must be raw before it.
    if Terminal.isTerminal(StandardStreams.input) {
      let input = takesInput ? "" : "it takes no input, and "
      Output.complain(
        "joined \(program.name); \(input)\(hasTerminal ? keys.text : "Ctrl-C") leaves",
        isRaw: session.terminal != nil)
    }
    let end = try session.run()
    // The terminal has its modes back before anything is written to it.
    _ = consume session
    try tell(end)
  }

  private func tell(_ end: AttachSession.End) throws(Failure) {
    switch end {
    case .left:
      if Terminal.isTerminal(StandardStreams.input) { Output.complain("left \(program.name), which runs on") }
    case .unread: break
    case .signal(let signal): throw .status(128 + signal)
    case .program(.ended(let status)):
      Output.complain("\(program.name) has ended (\(status.words))")
      if status.shellStatus != 0 { throw .status(status.shellStatus) }
    case .program(.refused(let message)): throw .failed(message)
    case .program(.hungUp):
      throw .failed("the keeper of \(program.name) is gone, and so is the program's input and output")
    }
  }
}
