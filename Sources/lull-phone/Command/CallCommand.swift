import ArgumentParser
import Lull
import LullSystem

struct CallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "Speak RTP with Opus to an address, without a server: for tests and for other programs.",
    discussion: """
      Without an address it waits for the first packet, and answers to where that came from. Its first \
      line tells the port.

      It ends with SIGINT or SIGTERM, after --duration, when the peer says good-bye in RTCP, and with status \
      1 when nothing was heard for 30 s or a device failed. Its last line tells the figures of the call.
      """)

  @Argument(help: "The peer's address for RTP, HOST:PORT.") var peer: String?
  @Option(help: "The name that the daemon knows the program by.") var name = "lull-call"
  @Flag(help: "Work without a daemon, and so without microphone and speaker.") var embedded = false
  @Flag(help: "Print errors only.") var quiet = false
  @Flag(help: "Begin each line with the microseconds of CLOCK_MONOTONIC.") var timestamps = false
  @OptionGroup(title: "The call") var media: MediaOptions

  func validate() throws {
    if let peer, Destination(peer, nil) == nil { throw ValidationError("\(peer): expected HOST:PORT") }
  }

  func run() throws {
    try PhoneCommand.check(name: name)
    do {
      try call()
    } catch let error as ExitCode {
      throw error
    } catch {
      throw PhoneCommand.refuse("\(error)", .failure)
    }
  }

  private func call() throws {
    let signals = try SleepSignals()
    let direct = DirectCall(
      media, peer: try address(), console: Console(isQuiet: quiet, stamps: timestamps))
    let application = try Application(
      name: name, modes: [.voip, .audio], launch: .foreground, host: embedded ? .embedded : .automatic,
      delegate: direct)
    try signals.watch(in: application) { direct.hangUp(application) }
    application.run()
    if let reason = application.killReason {
      throw PhoneCommand.refuse("ended: \(reason.rawValue)", .failure)
    }
    if direct.hasFailed { throw ExitCode.failure }
  }

  private func address() throws -> SocketAddress? {
    guard let peer, let destination = Destination(peer, nil) else { return nil }
    return try Socket.resolve(host: destination.host, port: destination.port).first
  }
}

final class DirectCall: ApplicationDelegate {
  private(set) var hasFailed = false
  private let media: MediaOptions
  private let peer: SocketAddress?
  private let console: Console
  private var call: Call?

  init(_ media: MediaOptions, peer: SocketAddress?, console: Console) {
    (self.media, self.peer, self.console) = (media, peer, console)
  }

  func application(_ application: Application, didFinishLaunchingWith options: LaunchOptions) {
    do {
      let settings = try media.settings(payloadType: media.payloadType)
      let socket = try MediaSocket(towards: peer, port: media.rtpPort)
      let call = try Call(application, settings, socket: socket, peer: peer, console: console) {
        [weak self] end in self?.ended(end, application)
      }
      self.call = call
      try call.start()
    } catch {
      console.trouble("Had error: \(error)")
      hasFailed = true
      application.stop()
    }
  }

  func hangUp(_ application: Application) {
    call?.hangUp()
    application.stop()
  }

  private func ended(_ end: Call.End, _ application: Application) {
    if case .failed = end { hasFailed = true }
    application.stop()
  }
}
