import ArgumentParser
import LullChannel
import LullSystem
import LullWire

struct DaemonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "daemon",
    abstract: "Start, show, end or replace the daemon itself.",
    discussion: """
      The daemon is two processes, lulld and lull-guard. The first "lull run" starts them; as a service they \
      run from the start of the machine or of the session.

      Example: lull daemon status
      """,
    subcommands: [
      DaemonStartCommand.self, DaemonStatusCommand.self, DaemonStopCommand.self, DaemonUpgradeCommand.self,
    ])
}

struct DaemonStartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start the daemon, and the installed programs with it.",
    discussion: """
      "lull run" and every program on the library start it too, where none runs. What runs on since an \
      earlier daemon is taken over. Exit status 0 also when one runs already.

      Example: lull daemon start
      """)

  func run() throws(Failure) {
    let hadDaemon = try Daemon.runs()
    var connection = try DaemonStart(starter: .daemonStart).connect()
    try connection.greet()
    try Output.say(hadDaemon ? "a daemon runs already\n" : "the daemon runs\n")
  }
}

struct DaemonStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the daemon: its processes, what started it, how programs sleep.",
    discussion: """
      Exit status 1 when no daemon runs. The programs are shown by "lull status".

      Example: lull daemon status
               lull daemon status --json | jq .pid
      """)

  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    var connection = try Daemon.connect()
    let report = DaemonStateReport(
      try StatusQuestion().ask(&connection), socket: RuntimeDirectory.controlSocket())
    try json.write(report) { DaemonStateText.text(report, $0) }
  }
}

struct DaemonStopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "End the daemon.",
    discussion: """
      Every program that sleeps is woken and goes on without Lull: a command with the "lull run" or the \
      keeper that started it, a program on the library by itself. None of them sleeps any more until a \
      daemon runs again.

      --programs ends the programs first, as "lull quit --all" does.

      Returns when both processes have ended. Exit status 0 also when no daemon runs.

      Example: lull daemon stop
               lull daemon stop --programs
      """)

  @Flag(name: .customLong("programs"), help: "End the programs first.")
  var endsPrograms = false

  func run() throws(Failure) {
    guard let count = try DaemonStop.stop(withPrograms: endsPrograms) else {
      return try Output.say("no daemon runs\n")
    }
    let rest = count == 1 ? "; 1 program goes on, awake" : "; \(count) programs go on, awake"
    try Output.say("the daemon has ended\(count == 0 ? "" : rest)\n")
  }
}

struct DaemonUpgradeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Replace the daemon by the one that is installed now.",
    discussion: """
      Programs, their connections, their sound, their schedules and notifications go on. Sleeping programs \
      are woken, and sleep again under the new daemon.

      The new programs are those beside this "lull". They are tried first: where they do not start, nothing \
      is changed.

      Example: lull daemon upgrade
      """)

  func run() throws(Failure) {
    let outcome = try DaemonUpgrade.upgrade()
    try Output.say(outcome.text)
    if !outcome.lost.isEmpty { throw .status(1) }
  }
}

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check what this machine allows, and tell how to mend the rest.",
    discussion: """
      Works without a daemon for what lull can try itself; a daemon that runs adds what it sees. \
      yes: works; limited: Lull does its job with less; no: it cannot, and the exit status is 1.

      --thaw wakes the programs that a daemon left asleep when it was killed, and names them. What a daemon \
      that runs has put to sleep is not touched.

      Example: lull doctor
      """)

  @Flag(help: "Wake what a daemon that is gone has left asleep; check nothing else.")
  var thaw = false
  @OptionGroup var json: JSONOption

  func validate() throws {
    guard !thaw || !json.isJSON else { throw ValidationError("--thaw or --json, not both") }
  }

  func run() throws(Failure) {
    guard !thaw else { return try LeftoverCheck.thaw() }
    // The signals are blocked: a Ctrl-C must not leave a frozen child or its cgroup behind. Each check ends
    // within seconds.
    let signals = try ForwardedSignals()
    let checks = Self.checks()
    try json.write(checks) { DoctorText.text(checks, $0) }
    while let arrival = try signals.next() {
      if Signal.ending.contains(arrival.signal) { throw .status(128 + arrival.signal) }
    }
    if checks.contains(where: { $0.result == .no }) { throw .status(1) }
  }

  private static func checks() -> [CheckItem] {
    let (limit, isEnough) = LimitCheck.run()
    guard isEnough else { return [limit] }
    let daemon = DaemonChecks.run()
    let freezer = FreezerCheck.run(root: DaemonChecks.cgroupRoot(in: daemon))
    return [limit] + freezer + RightsChecks.run() + SoundChecks.run() + LeftoverCheck.run()
      + FileChecks.run() + daemon
  }
}

enum DoctorText {
  static func text(_ checks: [CheckItem], _ style: Style) -> String {
    let results = checks.map(\.result.rawValue)
    let width = results.reduce(0) { max($0, $1.count) }
    let nameWidth = checks.reduce(0) { max($0, Printable.text($1.name).count) }
    return checks.map { check in
      let (result, name) = (check.result.rawValue, Printable.text(check.name))
      let line =
        style.paint(result + result.padding(to: width), colour(check))
        + "  \(name)\(name.padding(to: nameWidth))  \(Printable.text(check.detail))\n"
      let place = width + nameWidth + 4
      let mend = check.mend.map { "\("".padding(to: place))mend: \(Printable.text($0))\n" } ?? ""
      return Prose.wrapped(line, columns: style.proseColumns, hanging: place)
        + Prose.wrapped(mend, columns: style.proseColumns, hanging: 6)
    }.joined()
  }

  private static func colour(_ check: CheckItem) -> Style.Colour {
    switch check.result {
    case .yes: .green
    case .limited: .yellow
    case .no: .red
    }
  }
}
