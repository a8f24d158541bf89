import ArgumentParser
import LullWire

struct LinesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lines",
    abstract: "Show the connections that are watched for sleeping programs, or kept for ended ones.",
    discussion: """
      UNREAD: bytes that wait in the kernel. ANSWERED: pings that the daemon answered in the program's \
      place. PID/FD: which process of the program holds it, and its number there. NOTE disregarded: it has \
      long been readable and the program does not read it, so only what is new there wakes the program. \
      NOTE kept: the program has ended, and is launched for what comes there.

      Where the terminal is too narrow for both addresses there is one ADDRESS: the peer's or, without a \
      peer, the line's own. Without a terminal nothing is cut.

      A program that waits with epoll has one line for all connections of its set. A program with more than \
      64 lines is summed up. --all lists every connection of both.

      Example: lull lines phone
      """)

  @OptionGroup var program: OptionalProgramArgument
  @Flag(help: "List every connection, however many there are.") var all = false
  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    let lines = try Daemon.ask(.lines(name: program.name, all: all)) { (items) throws(WireError) in
      try items.records(LineItem.self)
    }
    guard !json.isJSON else { return try Output.write(JSONOutput.text(lines)) }
    try Output.write(LinesText.text(lines, listingAll: all, .wholeOfStandardOutput()))
  }
}
