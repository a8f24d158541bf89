import ArgumentParser
import LullWire

struct NotificationsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notifications",
    abstract: "Show the notifications that wait for an answer or for their time.",
    discussion: """
      With --follow each one is told as it is shown, and as it is withdrawn, answered or replaced.

      Example: lull notifications; lull answer 3 Answer
               lull notifications --follow --json
      """)

  @Flag(
    name: [.customLong("follow"), .customShort("f")], help: "Go on with new ones until interrupted.")
  var isFollowing = false
  @Flag(name: .customLong("json"), help: "Write JSON; with --follow, one object per line.")
  var isJSON = false

  func run() throws(Failure) {
    guard !isFollowing else { return try NotificationFollower.run(isJSON: isJSON) }
    let notifications = try Daemon.ask(.notifications(follow: false)).records(NotificationItem.self)
    try Output.write(
      isJSON
        ? JSONOutput.text(notifications) : NotificationsText.text(notifications, .ofStandardOutput()))
  }
}

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

struct QuietCommand: ParsableCommand {
  enum Setting: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
  }

  static let configuration = CommandConfiguration(
    commandName: "quiet",
    abstract: "Turn the sounds of notifications off or on.",
    discussion: """
      While it is on ("do not disturb"), notifications and calls are shown without a sound, also after a \
      restart. Without an argument: is it on?

      Example: lull quiet on
      """)

  @Argument(help: "on: no sound; off: sounds again.")
  var setting: Setting?

  func run() throws(Failure) {
    let wanted = setting.map { $0 == .on ? Vocabulary.Choice.yes : .no }
    let ok = try Daemon.ask(.quiet(on: wanted)).ok
    let isOn = ok[.on] == Vocabulary.Choice.yes.rawValue
    try Output.say(isOn ? "on: notifications make no sound\n" : "off: notifications make their sounds\n")
  }
}

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
    let ok = try Daemon.open(url, in: name)
    guard let name = ok[.name] else { throw .unreadable(.missingField(Key.name.rawValue)) }
    try Output.say("\(Printable.text(name)): \(ok[.launched] == nil ? "woken" : "started") for the link\n")
  }
}

struct LockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Tell the programs that the session is locked.",
    discussion: """
      Active programs become inactive, and every program on the library closes the files that the lock \
      protects; a sleeping one does so at its next wake. The screen is not locked by this. Where the desktop \
      tells of its lock, nobody has to.

      Example: lull lock
      """)

  func run() throws(Failure) { _ = try Daemon.ask(.lock) }
}

struct UnlockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Tell the programs that the session is unlocked.",
    discussion: "Example: lull unlock")

  func run() throws(Failure) { _ = try Daemon.ask(.unlock) }
}
