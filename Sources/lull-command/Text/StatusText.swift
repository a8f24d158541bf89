import LullWire

enum StatusText {
  /// The columns, those first that matter most; they are left out from the end.
  private static func columns(_ programs: [ProgramReport]) -> [Table.Column] {
    // A wake is whole before anything else is, and else cut behind its reason.
    let told = programs.compactMap(\.lastWake).map { shortReason($0).count + ($0.peer == nil ? 0 : 3) }
    return [
      .init(title: "NAME"), .init(title: "STATE"),
      .init(title: "AWAKE BECAUSE", place: .cut(rank: 2, least: 13, first: 18)),
      .init(title: "LAST WAKE", place: .cutLast(rank: 1, least: told.max() ?? 0)),
      .init(title: "ASLEEP", place: .rank(3)),
      .init(title: "LINES", alignment: .right, place: .rank(4)), .init(title: "WAKES", place: .rank(5)),
      .init(title: "KEEP-ALIVE", place: .rank(6)),
    ]
  }

  private static let overBudget = "(!)"

  static func text(_ report: StatusReport, _ style: Style) -> String {
    var memory: ColumnMemory?
    return text(report, style, keeping: &memory)
  }

  /// `memory` has what the columns of the programs were before, on a screen that is drawn anew.
  static func text(_ report: StatusReport, _ style: Style, keeping memory: inout ColumnMemory?) -> String {
    let lines = daemon(report.daemon) + report.remarks.map { "Note: \(Printable.text($0))" }
    let heading = Prose.wrapped(lines.map { $0 + "\n" }.joined(), columns: style.columns)
    return heading + programs(report, style, keeping: &memory) + EndedText.table(report.ended ?? [], style)
      + EndedText.keptTable(report.kept ?? [], style)
  }

  static func names(_ report: StatusReport, all: Bool) -> String {
    let ended = all ? report.ended ?? [] : []
    return (report.programs.map(\.name) + ended.map(\.name)).map { Printable.text($0) + "\n" }.joined()
  }

  private static func programs(
    _ report: StatusReport, _ style: Style, keeping memory: inout ColumnMemory?
  ) -> String {
    guard !report.programs.isEmpty else { return "No program runs under it.\n" }
    // On a screen that is drawn anew the column stays when a program wakes.
    let hasTimers = style.isBrief || report.programs.contains { $0.ownTimer != nil }
    let hasUsage = report.programs.contains { $0.memory != nil || $0.processor != nil }
    let hasPurges = report.programs.contains { $0.purges != nil }
    var table = Table(
      columns(report.programs) + (hasTimers ? [.init(title: "OWN TIMER", place: .rank(7))] : [])
        + (hasUsage ? UsageText.columns : [])
        + (hasPurges ? [.init(title: "PURGED", place: .rank(8))] : []))
    for program in report.programs {
      table.add(
        row(program, hasTimers) + (hasUsage ? UsageText.cells(program) : [])
          + (hasPurges ? [purges(program)] : []))
    }
    let text = table.text(style, keeping: &memory)
    return text + legend(text, style) + SoundText.table(report, style)
  }

  private static func legend(_ table: String, _ style: Style) -> String {
    guard table.contains(overBudget) else { return "" }
    return Prose.wrapped(
      """
      \(overBudget) Woken more often than 15 times within 5 min, by your commands too; "lull wakes NAME" \
      tells by what.

      """,
      columns: style.columns)
  }

  static func daemon(_ daemon: DaemonItem) -> [String] {
    let restarts = daemon.restarts > 0 ? ", restarts \(daemon.restarts)" : ""
    let cgroup = daemon.suspender == "cgroup" ? ", suspends with the cgroup freezer" : ""
    var lines = ["lulld \(Printable.text(daemon.version)), pid \(daemon.pid)\(cgroup)\(restarts)"]
    if daemon.suspender == "signal" {
      lines.append(
        "Programs are suspended with SIGSTOP: no cgroup can be written (\"lull doctor\").")
    } else if daemon.suspender != "cgroup" {
      lines.append("Programs are suspended with \(Printable.text(daemon.suspender)).")
    }
    if daemon.clockRate != 1 { lines.append("The clock runs \(number(daemon.clockRate)) times as fast.") }
    if daemon.isQuiet { lines.append("It is quiet: notifications make no sound.") }
    if daemon.isLocked { lines.append("The session is locked.") }
    return lines
  }

  private static func row(_ program: ProgramReport, _ hasTimers: Bool) -> [Table.Cell] {
    var row: [Table.Cell] = [
      .init(program.name, .bold), .init(program.state, colour(ofState: program.state)),
      .init(awakeBecause(program), short: awakeBecause(program, DurationText.short)),
      .init(program.lastWake.map(lastWake) ?? "", short: program.lastWake.map(shortWake)),
      .init(asleep(program), short: share(program)),
      .init(LineText.cell(program.lines), short: LineText.short(program.lines)),
      program.isOverBudget
        ? .init("\(program.wakes) \(overBudget)", .red)
        : .init(String(program.wakes)),
      .init(program.keepAlive.map(keepAlive) ?? "", short: program.keepAlive.map(shortKeepAlive)),
    ]
    if hasTimers {
      row.append(
        .init(
          program.ownTimer.map(OwnTimerText.cell) ?? "", short: program.ownTimer.map(OwnTimerText.short)))
    }
    return row
  }

  /// For example `2 times, 3 min ago`.
  private static func purges(_ program: ProgramReport) -> Table.Cell {
    guard let purges = program.purges else { return .init("") }
    let count = purges.count == 1 ? "once" : "\(purges.count) times"
    return .init("\(count), \(DurationText.text(seconds: purges.agoSeconds)) ago", short: count)
  }

  static func colour(ofState state: String) -> Style.Colour? {
    switch state {
    case "active", "inactive": .green
    case "background": .yellow
    case "suspended": .cyan
    default: .dim
    }
  }

  static func awakeBecause(
    _ program: ProgramReport, _ duration: (Double) -> String = DurationText.text(seconds:)
  ) -> String {
    let foreground = program.state == "active" || program.state == "inactive" ? ["foreground"] : []
    let refused = program.refused.map { [Printable.text($0.reason)] } ?? []
    return (foreground + program.leases.map { lease($0, duration) } + refused).joined(separator: ", ")
  }

  private static func lease(_ lease: LeaseItem, _ duration: (Double) -> String) -> String {
    let name = lease.task.map { "\(lease.kind) \($0)" } ?? lease.kind
    return lease.endsInSeconds.map { "\(name) \(duration($0))" } ?? name
  }

  /// For example `3 min ago: data on line 2 from 10.0.0.7:5090 (waited 31 us)`. What is cut off matters
  /// least.
  static func lastWake(_ wake: WakeItem) -> String {
    let line = wake.line.map { " on line \($0)" } ?? ""
    let peer = wake.peer.map { " from \($0)" } ?? ""
    let waited = wake.waitedMicroseconds.map { " (waited \(DurationText.text(microseconds: $0)))" } ?? ""
    return "\(DurationText.text(seconds: wake.agoSeconds)) ago: \(wake.reason)\(line)\(peer)\(waited)"
  }

  /// The same in short, for example `3 min ago: data 10.0.0.7:5090`.
  static func shortWake(_ wake: WakeItem) -> String {
    shortReason(wake) + (wake.peer.map { " \($0)" } ?? "")
  }

  private static func shortReason(_ wake: WakeItem) -> String {
    "\(DurationText.short(seconds: wake.agoSeconds)) ago: \(wake.reason)"
  }

  static func keepAlive(_ keepAlive: KeepAliveItem) -> String {
    let timeout = DurationText.text(seconds: keepAlive.timeoutSeconds)
    return "\(timeout), due in \(DurationText.text(seconds: keepAlive.dueInSeconds))"
  }

  private static func shortKeepAlive(_ keepAlive: KeepAliveItem) -> String {
    "in \(DurationText.short(seconds: keepAlive.dueInSeconds))"
  }

  static func asleep(_ program: ProgramReport) -> String {
    let share = share(program)
    return share.isEmpty ? "" : "\(DurationText.text(seconds: program.asleepSeconds)) (\(share))"
  }

  private static func share(_ program: ProgramReport) -> String {
    let total = program.asleepSeconds + program.awakeSeconds
    guard program.asleepSeconds > 0, total > 0 else { return "" }
    return "\(Int(program.asleepSeconds / total * 100)) %"
  }

  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map { String($0) } ?? String(value)
  }
}
