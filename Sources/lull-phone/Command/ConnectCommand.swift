import ArgumentParser
import Lull
import LullWire

struct ConnectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "connect",
    abstract:
      "Wait for calls: answer ping, and raise a call for notify. The default, when no command is named.",
    usage: "lull-phone connect [<options>] <host> [<port>]",
    discussion: """
      The server is any program that speaks text lines over TCP, for example: nc -l -k -p 10000

      With "notify HOST:PORT" it calls with sound: RTP with Opus is sent there when the call is answered, \
      "answer HOST:PORT" tells where it is received, and "bye" ends the call. "lull open tel:NUMBER" makes a \
      call, with the link at the end of its "notify".

      SIGINT and SIGTERM end the call, close the connection and end the phone with status 0. In the \
      background under a daemon, where it may be asleep, they end it at once instead.
      """)

  @Argument(help: "The server's name or address, or HOST:PORT.") var host: String?
  @Argument(help: "The server's port.") var port: UInt16?
  @Option(help: "The name that the daemon knows the program by.") var name = "lull-phone"
  @Option(
    help: ArgumentHelp(
      "Send a ping at least so often in the background, asleep or not: 600 or more.", valueName: "seconds"))
  var keepAlive = 600.0
  @Flag(help: "Let the daemon answer pings while the phone sleeps.") var offload = false
  @Flag(help: "Stay in the foreground, where nothing sleeps.") var foreground = false
  @Flag(inversion: .prefixedNo, help: "Connect again after the connection was lost.") var reconnect = true
  @Flag(help: "Work without a daemon: the process goes on, only its handlers sleep.") var embedded = false
  @Flag(help: "Print errors only.") var quiet = false
  @Flag(help: "Begin each line with the microseconds of CLOCK_MONOTONIC.") var timestamps = false
  @Flag(help: "Call as soon as the connection is open.") var dial = false
  @Flag(help: "Answer every call with sound at once.") var autoAnswer = false
  @OptionGroup(title: "Calls with sound") var media: MediaOptions

  func run() throws {
    // Not in validate(), which comes before an unknown option is told.
    guard let host else {
      throw PhoneCommand.refuse("no server is named: give HOST PORT or HOST:PORT", .validationFailure)
    }
    guard let destination = Destination(host, port) else {
      throw PhoneCommand.refuse(
        "\(port.map { "\(host) \($0)" } ?? host): expected HOST PORT or HOST:PORT", .validationFailure)
    }
    try PhoneCommand.check(name: name)
    guard keepAlive >= Application.minimumKeepAliveTimeout else {
      throw PhoneCommand.refuse(
        "--keep-alive \(keepAlive.plain): at least 600 seconds", .validationFailure)
    }
    do {
      try connect(destination)
    } catch let error as LullError {
      throw PhoneCommand.refuse("\(error)", .failure)
    }
  }

  private func connect(_ destination: Destination) throws {
    let signals = try SleepSignals()
    let phone = Phone(
      Phone.Settings(
        destination: destination, keepAlive: keepAlive, offload: offload, reconnects: reconnect,
        dials: dial, answers: autoAnswer, media: media),
      console: Console(isQuiet: quiet, stamps: timestamps), signals: signals)
    let application = try Application(
      name: name, modes: [.voip, .audio], launch: foreground ? .foreground : .background,
      schemes: Phone.schemes, host: embedded ? .embedded : .automatic, delegate: phone)
    try signals.watch(in: application) { phone.hangUp(application) }
    application.run()
    if let reason = application.killReason {
      throw PhoneCommand.refuse("ended: \(reason.rawValue)", .failure)
    }
    if phone.hasFailed { throw ExitCode.failure }
  }
}
