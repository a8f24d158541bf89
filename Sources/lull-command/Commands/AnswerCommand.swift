import ArgumentParser
import LullWire

/// `lull answer ID ACTION`.
struct AnswerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "answer",
    abstract: "Answer a notification, as a click on it would.",
    discussion: """
      ACTION is the title of the notification's action, "default" (the notification itself) or "dismiss". \
      The program is woken to hear of it. Of "dismiss" it hears when it is awake; a call wakes it. A \
      scheduled notification can be dismissed, too: it is not shown any more.

      Example: lull answer 3 Answer
      """)

  @Argument(
    help: ArgumentHelp("The notification, as in \"lull notifications\".", valueName: "id"),
    completion: Completions.notifications)
  var notification: UInt32
  @Argument(help: "What the user chose.", completion: Completions.actions)
  var action: String

  func run() throws(Failure) {
    let ok = try Daemon.ask(.answer(notification: NotificationID(notification), action: action)).ok
    guard let name = ok[.name] else { throw .unreadable(.missingField(Key.name.rawValue)) }
    try Output.say("\(Printable.text(name)): \(Printable.text(action))\n")
  }
}
