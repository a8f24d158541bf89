import ArgumentParser
import LullPlayer
import LullSystem
import LullWire

/// A subcommand that sends one request and shows what the player then does.
protocol ControlCommand: ParsableCommand {
  func request() throws -> ControlRequest
  /// The text line of what the player then does.
  func line(_ report: StatusReport) -> String
}

extension ControlCommand {
  func line(_ report: StatusReport) -> String { StatusText.line(report) }

  mutating func run() throws {
    let request = try request()
    var connection = try PlayerLauncher.connectStarting()
    guard let report = StatusReport(try connection.ask(request).last ?? Message("ok")) else { return }
    try StandardOutput.write(line(report) + "\n")
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

  func request() throws -> ControlRequest { .play(index: try index.map(QueueIndex.checked)) }

  /// Shows what is heard, or why nothing is.
  mutating func run() throws {
    var connection = try PlayerLauncher.connectStarting()
    guard var report = StatusReport(try connection.ask(request()).last ?? Message("ok")) else { return }
    let (start, limit) = (report.position, Clock.boottime() + Self.patience)
    while report.status == .playing, report.position == start, Clock.boottime() < limit {
      _ = try connection.next(until: Clock.boottime() + Self.interval)
      guard let next = StatusReport(try connection.ask(.status).last ?? Message("ok")) else { return }
      report = next
    }
    try StandardOutput.write(StatusText.line(report) + "\n")
    if report.status == .interrupted, let note = report.note {
      try StandardOutput.write("note: \(Printable.text(note))\n")
    }
  }
}

struct PauseCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Pause at the frame that is heard.")
  func request() -> ControlRequest { .pause }
}

struct ToggleCommand: ControlCommand {
  static let configuration = CommandConfiguration(commandName: "toggle", abstract: "Pause, or play again.")
  func request() -> ControlRequest { .toggle }
}

struct NextCommand: ControlCommand {
  static let configuration = CommandConfiguration(commandName: "next", abstract: "Go to the next item.")
  func request() -> ControlRequest { .next }
}

struct PreviousCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "previous", abstract: "Go to the item before.", aliases: ["prev"])
  func request() -> ControlRequest { .previous }
}

struct StopCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Stop; play begins at the item's start again.")
  func request() -> ControlRequest { .stop }
}

struct ClearCommand: ControlCommand {
  static let configuration = CommandConfiguration(commandName: "clear", abstract: "Stop and empty the queue.")
  func request() -> ControlRequest { .clear }
}

struct RemoveCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Take an item out of the queue.")
  @Argument(help: "The item's number in \"lull-player list\".") var index: Int

  func request() throws -> ControlRequest { .remove(index: try QueueIndex.checked(index)) }
}

struct SeekCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "seek", abstract: "Go to a place in the item: 90, 1:30, +10 or -10.")
  // -10 is no option.
  @Argument(parsing: .allUnrecognized, help: "[+-]SECONDS or [+-][HH:]MM:SS.") var place: [String]

  func request() throws -> ControlRequest {
    guard place.count == 1, let seek = ControlRequest.Seek(text: place[0]) else {
      throw Failure.usage("seek \(place.joined(separator: " ")): expected [+-]SECONDS or [+-][HH:]MM:SS")
    }
    return .seek(seek)
  }
}

struct VolumeCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "volume",
    abstract: "Set the volume in percent, or change it by +5 or -5; at 100 samples are played as they are.")
  // -5 is no option.
  @Argument(parsing: .allUnrecognized, help: "0 to 100, or +PERCENT or -PERCENT.") var percent: [String]

  func request() throws -> ControlRequest {
    let text = percent.joined(separator: " ")
    guard percent.count == 1, let number = Int(text) else {
      throw Failure.usage("volume \(text): expected 0 to 100, or a change such as +5 or -5")
    }
    let isChange = text.hasPrefix("+") || text.hasPrefix("-")
    guard (isChange ? -100...100 : 0...100).contains(number) else {
      throw Failure.usage("volume \(text): 0 to 100 are possible")
    }
    return isChange ? .volumeBy(number) : .volume(number)
  }

  func line(_ report: StatusReport) -> String { "volume \(report.volume) %" }
}

struct RepeatCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "repeat", abstract: "Choose what follows the last item, or each.")
  @Argument(help: "off, all or one.") var mode: String

  func request() throws -> ControlRequest {
    guard let mode = RepeatMode(rawValue: mode) else {
      throw Failure.usage("repeat \(mode): expected off, all or one")
    }
    return .repeatMode(mode)
  }
}

struct ShuffleCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "shuffle", abstract: "Play in an order that chance makes, or in that of the list.",
    aliases: ["random"])
  @Argument(help: "on or off.") var mode: String

  func request() throws -> ControlRequest {
    guard ["on", "off"].contains(mode) else { throw Failure.usage("shuffle \(mode): expected on or off") }
    return .shuffle(mode == "on")
  }
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

  func request() throws -> ControlRequest {
    guard let mode = ReplayGainMode(rawValue: mode) else {
      throw Failure.usage("replaygain \(mode): expected off, track, album or auto")
    }
    guard preamp.map(ReplayGainSettings.preamps.contains) ?? true else {
      throw Failure.usage("--preamp \(preamp ?? 0): -15 to 15 decibels are possible")
    }
    return .replayGain(mode, preamp: preamp)
  }
}

enum QueueIndex {
  static func checked(_ index: Int) throws(Failure) -> Int {
    guard index > 0 else { throw .usage("\(index): items are numbered from 1") }
    return index
  }
}
