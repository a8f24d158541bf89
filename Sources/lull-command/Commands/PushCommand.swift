import ArgumentParser
import LullSystem
import LullWire

struct PushCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "Hand a message to a program, as a push service would.",
    discussion: """
      The message is read from standard input, at most 4096 bytes; from a terminal none is read. The program \
      is woken for it and has 30 s, and a detached or installed one that has ended is started; one that was \
      quit is not, until "lull start" starts it. A program on the library declares the mode \
      remote-notification and gets the bytes. Any other is started with them in LULL_LAUNCH_PAYLOAD; while \
      it runs it can only be woken, by an empty message.

      Example: lull push news --title "News" <message
      """)

  @OptionGroup var program: ProgramArgument
  @Option(help: .init("Show this to the person, as a notification of the program.", valueName: "text"))
  var title: String?
  @Flag(help: "Show nothing: the title is for the program alone.") var silent = false

  func run() throws(Failure) {
    let push = RemoteNotification(payload: try Self.payload(), title: title)
    let ok = try Daemon.push(push, to: program.name, isSilent: silent)
    let name = try readable(ok.string(.name))
    try Output.say("\(Printable.text(name)): \(ok[.launched] == nil ? "woken" : "started") for the push\n")
  }

  private static func payload() throws(Failure) -> [UInt8] {
    let (input, most) = (StandardStreams.input, Limits.maximumPayload)
    guard StandardStreams.isOpen(input), !Terminal.isTerminal(input) else { return [] }
    var bytes: [UInt8] = []
    var room = ReceiveBuffer(capacity: most + 1)
    do throws(SystemError) {
      while bytes.count <= most, case .bytes = try StandardStreams.read(input, into: &room) {
        bytes += room.received
      }
    } catch {
      throw .failed("standard input cannot be read: \(error.message)")
    }
    guard bytes.count <= most else {
      throw .usage("the message has more than \(most) bytes; push where it can be found, such as a link")
    }
    return bytes
  }
}
