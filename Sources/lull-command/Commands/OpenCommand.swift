import ArgumentParser
import LullWire

struct OpenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Hand a link to the program that takes its scheme.",
    discussion: """
      The program is woken for it. A detached or installed one that has ended is started again; an installed \
      one that was quit is not, until "lull start" starts it; a detached one is after "lull quit", too. \
      Programs on the library declare their schemes themselves; --scheme of "lull run" and "lull install" \
      declares those of any other.

      Example: lull open sip:alice@example.org
      """)

  @Option(
    help: ArgumentHelp("The program, where several take the scheme.", valueName: "name"),
    completion: Completions.records)
  var name: String?
  @Argument(help: "The link, such as tel:+15551234.")
  var url: String

  func run() throws(Failure) {
    guard LinkURL.scheme(of: url) != nil else {
      throw .usage("\(Printable.text(url)): must be \(LinkURL.expected)")
    }
    let ok = try Link.open(url, in: name)
    guard let name = ok[.name] else { throw .unreadable(.missingField(Key.name.rawValue)) }
    try Output.say("\(Printable.text(name)): \(ok[.launched] == nil ? "woken" : "started") for the link\n")
  }
}
