import ArgumentParser
import LullWire

struct AnswerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "answer",
    abstract: "Answer a notification, as a click on it would.",
    discussion: """
      ACTION is the title of the notification's action, "default" (the notification itself) or "dismiss", \
      which is "decline" for a call; in any case. The program is woken to hear of it. Of "dismiss" it hears \
      when it is awake; a call wakes it. A scheduled notification can be dismissed, too: it is not shown any \
      more.

      Example: lull answer 3 Answer
      """)

  @Argument(
    help: ArgumentHelp("The notification, as in \"lull notifications\".", valueName: "id"),
    completion: Completions.notifications,
    transform: { text in
      guard let number = UInt32(text) else {
        throw ValidationError("first comes the number of a notification; \"lull notifications\" lists them")
      }
      return number
    })
  var notification: UInt32
  @Argument(help: "What the user chose.", completion: Completions.actions)
  var action: String

  func run() throws(Failure) {
    var connection = try Daemon.connect()
    var chosen = action
    let ok: Message
    do throws(Failure) {
      ok = try connection.ask(.answer(notification: NotificationID(notification), action: chosen)).ok
    } catch .refused(.noSuchAction, _) {
      chosen = try meant(&connection)
      ok = try connection.ask(.answer(notification: NotificationID(notification), action: chosen)).ok
    }
    guard let name = ok[.name] else { throw .unreadable(.missingField(Key.name.rawValue)) }
    try Output.say("\(Printable.text(name)): \(Printable.text(chosen))\n")
  }

  /// What the desktop's button of a call says, by which it is dismissed.
  private static let decline = "decline"

  /// The action of the notification that differs from what was typed in its case alone.
  private func meant(_ connection: inout Connection) throws(Failure) -> String {
    let items = try connection.ask(.notifications(follow: false)).items
    let own = items.filter { $0.itemKind == .notification && $0[.notification] == String(notification) }
    let actions = own.compactMap { $0[.action] } + NotificationAction.allCases.map(\.rawValue)
    let word = action.lowercased()
    if let action = actions.first(where: { $0.lowercased() == word }) { return action }
    if word == Self.decline { return NotificationAction.dismiss.rawValue }
    let words = actions + [Self.decline]
    let near = Spelling.nearest(to: word, among: words.map { $0.lowercased() })
    let meant = words.first { $0.lowercased() == near }.map { "; did you mean \"\($0)\"?" } ?? ";"
    let names = words.map { "\"\($0)\"" }.joined(separator: ", ")
    throw .failed("no action \"\(action)\"\(meant) notification \(notification) has \(names)")
  }
}
