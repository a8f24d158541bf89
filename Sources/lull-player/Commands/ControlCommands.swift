import ArgumentParser
import LullPlayer
import LullSystem
import LullWire

/// A subcommand that sends one request, of its own name, and shows what the player then does.
protocol ControlCommand: ParsableCommand {
  func fields() throws -> [Field]
  func line(_ report: StatusReport) -> String
}

extension ControlCommand {
  func fields() throws -> [Field] { [] }

  func line(_ report: StatusReport) -> String { StatusText.line(report) }

  func request() throws -> Message {
    var message = Message(Self.configuration.commandName ?? "")
    for field in try fields() { message.append(field) }
    return message
  }

  mutating func run() throws {
    let request = try request()
    var connection = try PlayerLauncher.connectStarting()
    if let report = try connection.report(request) { try StandardOutput.write(line(report) + "\n") }
  }

  /// The field `index`: a number of an item.
  func index(_ number: Int) throws(Failure) -> Field {
    if number > 0 { return Field("index", String(number)) }
    throw .usage("\(number): items are numbered from 1")
  }

  /// The field `mode`, whose word must be one of these.
  func mode(_ word: String, among words: [String]) throws(Failure) -> Field {
    if words.contains(word) { return Field("mode", word) }
    let all = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    throw .usage("\(Self.configuration.commandName ?? "") \(word): expected \(all)")
  }
}

struct PlayCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "play", abstract: "Play, from where it stopped or from an item of the queue.")
  @Argument(help: "The item's number in \"lull-player list\".") var index: Int?

  /// The time in which the first sound is waited for, in nanoseconds: the player learns within a second that
  /// there is no device.
  private static let patience: Int64 = 1_500_000_000
  private static let interval: Int64 = 100_000_000

  func fields() throws -> [Field] { try index.map { [try self.index($0)] } ?? [] }

  mutating func run() throws {
    let request = try request()
    var connection = try PlayerLauncher.connectStarting()
    guard var report = try connection.report(request) else { return }
    let (start, limit) = (report.position, Clock.boottime() + Self.patience)
    while report.status == .playing, report.position == start, Clock.boottime() < limit {
      _ = try connection.next(until: Clock.boottime() + Self.interval)
      guard let next = try connection.report(Message("status")) else { return }
      report = next
    }
    try StandardOutput.write(StatusText.line(report) + "\n")
    if report.status == .interrupted, let note = report.message["note"] {
      try StandardOutput.write("note: \(Printable.text(note))\n")
    }
  }
}

struct PauseCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Pause at the frame that is heard.")
}

struct ToggleCommand: ControlCommand {
  static let configuration = CommandConfiguration(commandName: "toggle", abstract: "Pause, or play again.")
}

struct NextCommand: ControlCommand {
  static let configuration = CommandConfiguration(commandName: "next", abstract: "Go to the next item.")
}

struct PreviousCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "previous", abstract: "Go to the item before.", aliases: ["prev"])
}

struct StopCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Stop; play begins at the item's start again.")
}

struct ClearCommand: ControlCommand {
  static let configuration = CommandConfiguration(commandName: "clear", abstract: "Stop and empty the queue.")
}

struct RemoveCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take an item out of the queue.")
  @Argument(help: "The item's number in \"lull-player list\".") var index: Int

  func fields() throws -> [Field] { [try self.index(index)] }
}

struct SeekCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "seek", abstract: "Go to a place in the item: 90, 1:30, +10 or -10.")
  // -10 is no option.
  @Argument(parsing: .allUnrecognized, help: "[+-]SECONDS or [+-][HH:]MM:SS.") var place: [String]

  func fields() throws -> [Field] {
    let text = place.joined(separator: " ")
    let isChange = text.hasPrefix("+") || text.hasPrefix("-")
    guard place.count == 1, let seconds = ClockText.seconds(isChange ? text.dropFirst() : text[...]) else {
      throw Failure.usage("seek \(text): expected [+-]SECONDS or [+-][HH:]MM:SS")
    }
    let signed = text.hasPrefix("-") ? -seconds : seconds
    return [Field(isChange ? "offset" : "position", String(signed))]
  }
}

struct VolumeCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "volume",
    abstract: "Set the volume in percent, or change it by +5 or -5; at 100 samples are played as they are.")
  // -5 is no option.
  @Argument(parsing: .allUnrecognized, help: "0 to 100, or +PERCENT or -PERCENT.") var percent: [String]

  func fields() throws -> [Field] {
    let text = percent.joined(separator: " ")
    guard percent.count == 1, let number = Int(text) else {
      throw Failure.usage("volume \(text): expected 0 to 100, or a change such as +5 or -5")
    }
    let isChange = text.hasPrefix("+") || text.hasPrefix("-")
    guard (isChange ? -100...100 : 0...100).contains(number) else {
      throw Failure.usage("volume \(text): 0 to 100 are possible")
    }
    return [Field(isChange ? "offset" : "percent", String(number))]
  }

  func line(_ report: StatusReport) -> String { "volume \(report.integer("volume") ?? 0) %" }
}

struct RepeatCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "repeat", abstract: "Choose what follows the last item, or each.")
  @Argument(help: "off, all or one.") var mode: String

  func fields() throws -> [Field] {
    [try self.mode(mode, among: RepeatMode.allCases.map(\.rawValue))]
  }
}

struct ShuffleCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "shuffle", abstract: "Play in an order that chance makes, or in that of the list.",
    aliases: ["random"])
  @Argument(help: "on or off.") var mode: String

  func fields() throws -> [Field] { [try self.mode(mode, among: ["on", "off"])] }
}

struct ReplayGainCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "replaygain", abstract: "Even out the loudness by what the files' tags tell.",
    discussion: """
      track takes that of each piece, album that of its album, auto that of the album while its pieces \
      follow one another in the queue. With off every sample is played as it is.
      """)
  @Argument(help: "off, track, album or auto.") var mode: String
  // -6 is no option.
  @Option(parsing: .unconditional, help: ArgumentHelp("-15 to 15, added to each.", valueName: "decibels"))
  var preamp: Double?

  func fields() throws -> [Field] {
    guard preamp.map(ReplayGainSettings.preamps.contains) ?? true else {
      throw Failure.usage("--preamp \(preamp ?? 0): -15 to 15 decibels are possible")
    }
    let mode = try self.mode(mode, among: ReplayGainMode.allCases.map(\.rawValue))
    return [mode] + (preamp.map { [Field("preamp", String($0))] } ?? [])
  }
}
