import ArgumentParser
import LullSystem
import LullWire

struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Tell how something that runs would sleep, without freezing anything.",
    usage: "lull watch --unit NAME | --container NAME | --pid PID | --cgroup PATH",
    discussion: """
      It is watched as if it had been adopted with these options, until the time is over or Ctrl-C. Then \
      this tells for how much of the time it would have slept, what would have woken it how often and from \
      where, what kept it awake and what to do about that, and what memory it holds.

      Nothing is done to it: it runs on, and its connections are not held. Bytes on a TCP connection are \
      counted by the kernel. A datagram that it takes at once may be missed, and so may a connection that \
      comes and goes within a second.

      Example: lull watch --unit redis-server --for 1h
               lull watch --container web --for 10min --json
      """)

  @OptionGroup(title: "What") var target: AdoptTarget
  @Option(
    name: .customLong("for"), help: .init("For this long: 90s, 10min, 1h30min.", valueName: "time"))
  var time: TimeSpan?
  @OptionGroup var json: JSONOption
  @OptionGroup var how: AdoptOptions

  func validate() throws {
    guard target.count == 1 else {
      throw ValidationError("say what to watch: one of --pid, --unit, --container and --cgroup")
    }
    if let time, time.seconds < 1 { throw ValidationError("--for: must be 1 s or more") }
    if target.runtime != nil, target.container == nil {
      throw ValidationError("--runtime: only with --container")
    }
  }

  /// Between two questions for what was found so far: what is told of a program ends with it.
  private static let pause: Int64 = 1_000_000_000

  func run() throws(Failure) {
    let (found, settings) = (try target.find(), try how.settings())
    let following = try Following(
      Daemon.connectStarting(boots: false), signals: [Signal.interrupt, Signal.terminate, Signal.hangUp])
    let name = try following.ask { (connection) throws(Failure) in
      let name = try found.adopt(settings, as: how.name, isDryRun: true, through: &connection).name
      // It ends with this connection.
      _ = try connection.ask(.attach(name: name))
      return name
    }
    let (begin, limit) = (Clock.boottime(), time.map { Clock.boottime() + Int64($0.seconds * 1e9) })
    if !json.isJSON { try Output.say("\(name): watched; nothing is frozen. Ctrl-C ends this.\n") }
    var (last, isOver, isGone, lost) = (try Self.report(of: name, following), false, false, Failure?.none)
    do throws(Failure) {
      while !isOver, !isGone {
        isOver = try following.nextSignal() != nil || limit.map { Clock.boottime() >= $0 } ?? false
        if !isOver { try following.wait(until: min(limit ?? .max, Clock.boottime() + Self.pause)) }
        let report = try Self.report(of: name, following)
        (last, isGone) = (report ?? last, report == nil)
      }
      if !isGone { _ = try following.ask(.letGo(name: name)) }
    } catch {
      // What an hour has shown is not lost with a daemon that ends.
      lost = error
    }
    guard let last else { throw lost ?? .failed("\(name) has ended") }
    let seconds = Double(Clock.boottime() - begin) / 1e9
    let end = Process.hasEnded(found.pidfd.raw) ? "it has ended" : isGone ? "it was let go" : nil
    try json.write(last) { WatchText.text(last, watched: seconds, end: end, $0) }
    if let lost { throw lost }
  }

  /// Nil when it has ended, or was let go.
  private static func report(of name: String, _ following: Following) throws(Failure) -> ProgramReport? {
    let items: [Message]
    do { items = try following.ask(.status(name: name)) } catch {
      guard case .refused = error else { throw error }
      return nil
    }
    return try readable(StatusReport(items)).programs.first
  }
}
