import ArgumentParser
import LullWire

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
    let (text, status) = try SoundProgram.output(of: ["--devices"])
    guard status == .exited(0) else { throw .failed("lull-audio cannot list the devices") }
    for line in text.split(separator: "\n") { try Output.say(Printable.text(String(line)) + "\n") }
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
  @Option(help: ArgumentHelp("Only this session, as in \"lull sound\".", valueName: "number"))
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
    guard !report.devices.contains(where: { $0.name == device && $0.state == "open" }) else { return }
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
    let near = Spelling.nearest(to: word, among: known) ?? known.first { part.count > 2 && $0.contains(part) }
    let place = near.flatMap { known.firstIndex(of: $0) }
    let meant = place.map { "did you mean \"\(names[$0])\"? " } ?? ""
    let more = names.count > most ? " and \(names.count - most) more (\"lull sound devices\")" : ""
    return meant
      + (names.isEmpty ? "there is none" : "there are \(names.prefix(most).joined(separator: ", "))\(more)")
  }
}
