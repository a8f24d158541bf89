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

  @Flag(name: [.customLong("follow"), .customShort("f")], help: "Go on with new ones until interrupted.")
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
    help: .init("The notification, as in \"lull notifications\".", valueName: "id"),
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
    let name = try readable(ok.string(.name))
    try Output.say("\(Printable.text(name)): \(Printable.text(chosen))\n")
  }

  /// What the desktop's button of a call says, by which it is dismissed.
  private static let decline = "decline"

  /// The action of the notification that differs from what was typed in its case alone.
  private func meant(_ connection: inout Connection) throws(Failure) -> String {
    let items = try connection.ask(.notifications(follow: false)).items
    let own = items.filter { $0.itemKind == .notification && $0[.notification] == String(notification) }
    let titles = own.flatMap { [$0[.action], $0[.otherAction]].compactMap(\.self) }
    let actions = titles + NotificationAction.allCases.map(\.rawValue)
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
      The program is woken for it. A detached or installed one that has ended is started again; one that \
      was quit is not, until "lull start" starts it. \
      Programs on the library declare their schemes themselves; --scheme of "lull run" and "lull install" \
      declares those of any other.

      Example: lull open sip:alice@example.org
      """)

  @Option(
    help: .init("The program, where several take the scheme.", valueName: "name"),
    completion: Completions.records)
  var name: String?
  @Argument(help: "The link, such as tel:+15551234.")
  var url: String

  func run() throws(Failure) {
    guard LinkURL.scheme(of: url) != nil else {
      throw .usage("\(Printable.text(url)): must be \(LinkURL.expected)")
    }
    let ok = try Daemon.open(url, in: name)
    let name = try readable(ok.string(.name))
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

struct SoundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sound",
    abstract: "Show where the sound of each program goes, and send it to another device.",
    discussion: """
      Example: lull sound
               lull sound devices
               lull sound route phone hw:1
               lull sound route phone default
      """,
    subcommands: [SoundListCommand.self, SoundDevicesCommand.self, SoundRouteCommand.self],
    defaultSubcommand: SoundListCommand.self)
}

struct SoundListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Show the sessions of sound and their devices. The default.")

  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    let items = try Daemon.ask(.status(name: nil)).items
    let report = try readable(SoundReport(items))
    try json.write(report) { RouteText.text(report, $0) }
  }
}

struct SoundDevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the devices to which sound can go and from which it can come.",
    discussion: """
      First those of PulseAudio or PipeWire ("pactl list sinks" and "pactl list sources" tell more of them), \
      the default ones marked; then those of ALSA ("aplay -L" and "arecord -L").
      """)

  func run() throws(Failure) {
    for line in try SoundProgram.deviceLines() { try Output.say(Printable.text(String(line)) + "\n") }
  }
}

struct SoundRouteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "route",
    abstract: "Send the sound of a program to another device, now and for as long as it runs.",
    discussion: """
      Its sessions go on there at the frame that is heard. A device that cannot be opened changes nothing, \
      and the exit status is 1. One that is gone later is left for the usual one, which is named "default", \
      until it is back.

      Example: lull sound route phone hw:1
               lull sound route phone hw:1 --input
               lull sound route phone default --session 7
      """)

  @OptionGroup var program: ProgramArgument
  @Argument(help: "The device's name, as in \"lull sound devices\".", completion: Completions.devices)
  var device: String
  @Option(help: .init("Only this session, as in \"lull sound\".", valueName: "number"))
  var session: UInt32?
  @Flag(help: "What it records, and not what it plays.") var input = false

  func validate() throws {
    guard DeviceName.isValid(device) else {
      throw ValidationError("\(Printable.text(device)): expected \(DeviceName.expected)")
    }
    guard session == nil || !input else { throw ValidationError("--session or --input, not both") }
  }

  func run() throws(Failure) {
    let wanted = device == DeviceName.usual ? nil : device
    if let wanted { try check(wanted) }
    let route = Request.AudioRoute(
      name: program.name, device: wanted, session: session.map { SessionID($0) },
      direction: input ? .capture : .play)
    let ok = try Daemon.ask(.audioRoute(route)).ok
    let count = (try? ok.integer(.count)) ?? 0
    let what =
      switch count {
      case 0: "from its next session on"
      case 1: "1 session"
      default: "\(count) sessions"
      }
    try Output.say("\(Printable.text(program.name)): \(Printable.text(device)), \(what)\n")
  }

  /// A device that is open for a session already may be for one program only.
  private func check(_ device: String) throws(Failure) {
    let items = try Daemon.ask(.status(name: nil)).items
    let report = try readable(SoundReport(items))
    guard !report.devices.contains(where: { $0.name == device && $0.state.known == .open }) else { return }
    let (text, status) = try SoundProgram.output(
      of: ["--check", "--device", device] + (input ? ["--input"] : []))
    guard status != .exited(0) else { return }
    let line = OtherProgram.lastLine(text) ?? "lull-audio ended without a word"
    let names = try SoundProgram.devices(input ? .capture : .play)
    throw .failed("\(line); \(Self.others(than: device, among: names))")
  }

  static func others(than device: String, among names: [String]) -> String {
    let most = 8
    let (word, known) = (device.lowercased(), names.map { $0.lowercased() })
    // A long name, such as `pulse:alsa_output.usb-Headset.analog-stereo`, is typed in part.
    let part = word.split(separator: ":").last.map { String($0) } ?? word
    let near = Spelling.nearest(to: word, among: known) ?? known.first { part.count > 2 && $0.holds(part) }
    let place = near.flatMap { known.firstIndex(of: $0) }
    let meant = place.map { "did you mean \"\(names[$0])\"? " } ?? ""
    let more = names.count > most ? " and \(names.count - most) more (\"lull sound devices\")" : ""
    return meant
      + (names.isEmpty ? "there is none" : "there are \(names.prefix(most).joined(separator: ", "))\(more)")
  }
}
