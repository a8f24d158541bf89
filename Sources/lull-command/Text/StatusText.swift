import LullWire

/// `lull status` for people.
enum StatusText {
  static func text(_ report: StatusReport, _ style: Style) -> String {
    let lines = daemon(report.daemon) + report.remarks.map { "Note: \(Printable.text($0))" }
    let heading = lines.map { $0 + "\n" }.joined()
    guard !report.programs.isEmpty else { return heading + "No program runs under it.\n" }
    let hasTimers = report.programs.contains { $0.ownTimer != nil }
    var table = Table(
      [
        .init(title: "NAME"), .init(title: "STATE"), .init(title: "AWAKE BECAUSE"),
        .init(title: "LINES", alignment: .right), .init(title: "LAST WAKE"), .init(title: "KEEP-ALIVE"),
      ] + (hasTimers ? [.init(title: "OWN TIMER")] : []) + [.init(title: "ASLEEP"), .init(title: "WAKES")])
    for program in report.programs { table.add(row(program, hasTimers)) }
    return heading + table.text(style) + SoundText.table(report, style)
  }

  /// The text lines about the daemon: its version and process, and plainly anything that is not as usual.
  static func daemon(_ daemon: DaemonReport) -> [String] {
    let restarts = daemon.restarts > 0 ? ", restarts \(daemon.restarts)" : ""
    let cgroup = daemon.suspender == "cgroup" ? ", suspends with the cgroup freezer" : ""
    var lines = ["lulld \(Printable.text(daemon.version)), pid \(daemon.pid)\(cgroup)\(restarts)"]
    if daemon.suspender == "signal" {
      lines.append(
        "Programs are suspended with SIGSTOP, because no cgroup can be written (\"lull doctor\" tells more).")
    } else if daemon.suspender != "cgroup" {
      lines.append("Programs are suspended with \(Printable.text(daemon.suspender)).")
    }
    if daemon.clockRate != 1 { lines.append("The clock runs \(number(daemon.clockRate)) times as fast.") }
    return lines
  }

  private static func row(_ program: ProgramReport, _ hasTimers: Bool) -> [Table.Cell] {
    let timer = Table.Cell(program.ownTimer.map(OwnTimerText.cell) ?? "")
    return [
      .init(program.name, .bold), .init(program.state, colour(ofState: program.state)),
      .init(awakeBecause(program)), .init(LineText.cell(program.lines)),
      .init(program.lastWake.map(lastWake) ?? ""), .init(program.keepAlive.map(keepAlive) ?? ""),
    ] + (hasTimers ? [timer] : []) + [
      .init(asleep(program)),
      program.isOverBudget ? .init("\(program.wakes) (too many)", .red) : .init(String(program.wakes)),
    ]
  }

  static func colour(ofState state: String) -> Style.Colour? {
    switch state {
    case "active", "inactive": .green
    case "background": .yellow
    case "suspended": .cyan
    default: .dim
    }
  }

  static func awakeBecause(_ program: ProgramReport) -> String {
    let foreground = program.state == "active" || program.state == "inactive" ? ["foreground"] : []
    let refused = program.refused.map { [Printable.text($0.reason)] } ?? []
    return (foreground + program.leases.map(lease) + refused).joined(separator: ", ")
  }

  private static func lease(_ lease: LeaseReport) -> String {
    let name = lease.task.map { "\(lease.kind) \($0)" } ?? lease.kind
    return lease.endsInSeconds.map { "\(name) \(DurationText.text(seconds: $0))" } ?? name
  }

  static func lastWake(_ wake: WakeReport) -> String {
    let line = wake.line.map { " on line \($0)" } ?? ""
    let peer = wake.peer.map { " from \($0)" } ?? ""
    let waited = wake.waitedMicroseconds.map { " (waited \(DurationText.text(microseconds: $0)))" } ?? ""
    return "\(wake.reason)\(line)\(peer)\(waited), \(DurationText.text(seconds: wake.agoSeconds)) ago"
  }

  static func keepAlive(_ keepAlive: KeepAliveReport) -> String {
    let timeout = DurationText.text(seconds: keepAlive.timeoutSeconds)
    return "\(timeout), due in \(DurationText.text(seconds: keepAlive.dueInSeconds))"
  }

  private static func asleep(_ program: ProgramReport) -> String {
    let total = program.asleepSeconds + program.awakeSeconds
    guard program.asleepSeconds > 0, total > 0 else { return "" }
    let share = Int(program.asleepSeconds / total * 100)
    return "\(DurationText.text(seconds: program.asleepSeconds)) (\(share) %)"
  }

  /// A number without `.0` when it is whole.
  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map { String($0) } ?? String(value)
  }
}
