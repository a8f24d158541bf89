import LullSystem
import LullWire

enum StatusText {
  /// Those first that matter most: they are left out from the end.
  private static func parts(
    of programs: [ProgramReport], isBrief: Bool
  ) -> [Table.Part<ProgramReport>] {
    // A wake is whole before anything else is, and else cut behind its reason.
    let told = programs.compactMap(\.lastWake).map { shortReason($0).count + ($0.peer == nil ? 0 : 3) }
    var parts: [Table.Part<ProgramReport>] = [
      .init("NAME") { .init($0.name, .bold) },
      .init("STATE") { $0.isDryRun ? .init("watched") : .init($0.state.text, colour($0.state)) },
      .init("AWAKE BECAUSE", .cut(rank: 2, least: 13, first: 18)) {
        .init(awakeBecause($0), short: awakeBecause($0, DurationText.short))
      },
      .init("LAST WAKE", .cutLast(rank: 1, least: told.max() ?? 0)) {
        .init($0.lastWake.map(lastWake), short: $0.lastWake.map(shortWake))
      },
      .init("ASLEEP", .rank(3)) { .init(asleep($0), short: share($0)) },
      .init("LINES", .rank(4), aligned: .right) {
        .init(LineText.cell($0.lines), short: LineText.short($0.lines))
      },
      .init("WAKES", .rank(5)) {
        $0.isOverBudget ? .init("\($0.wakes) \(overBudget)", .red) : .init(String($0.wakes))
      },
      .init("KEEP-ALIVE", .rank(6)) {
        .init($0.keepAlive.map(keepAlive), short: $0.keepAlive.map(shortKeepAlive))
      },
    ]
    // On a screen that is drawn anew the column stays when a program wakes.
    if isBrief || programs.contains(where: { $0.ownTimer != nil }) {
      parts.append(
        .init("OWN TIMER", .rank(7)) {
          .init($0.ownTimer.map(OwnTimerText.cell), short: $0.ownTimer.map(OwnTimerText.short))
        })
    }
    if programs.contains(where: { $0.residentBytes != nil || $0.processorSeconds != nil }) {
      parts += UsageText.parts
    }
    if programs.contains(where: { $0.purges != nil }) {
      parts.append(.init("PURGED", .rank(8)) { purges($0) })
    }
    return parts
  }

  private static let overBudget = "(!)"

  static func text(_ report: StatusReport, _ style: Style) -> String {
    var memory: ColumnMemory?
    return text(report, style, keeping: &memory)
  }

  /// `memory` has what the columns of the programs were before, on a screen that is drawn anew.
  static func text(_ report: StatusReport, _ style: Style, keeping memory: inout ColumnMemory?) -> String {
    let lines = daemon(report.daemon) + report.notes.map { "Note: \(Printable.text($0))" }
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
    let table = Table(report.programs, parts(of: report.programs, isBrief: style.isBrief))
    let text = table.text(style, keeping: &memory)
    return text + legend(text, style) + SoundText.table(report, style)
  }

  private static func legend(_ table: String, _ style: Style) -> String {
    guard table.holds(overBudget) else { return "" }
    let period = DurationText.text(seconds: Bounds.wakeBudgetPeriod.seconds)
    return Prose.wrapped(
      """
      \(overBudget) Woken more often than \(Bounds.wakeBudget) times within \(period), by your commands too; \
      "lull wakes NAME" tells by what.

      """,
      columns: style.columns)
  }

  static func daemon(_ daemon: DaemonItem) -> [String] {
    let restarts = daemon.restarts > 0 ? ", restarts \(daemon.restarts)" : ""
    let suspender = daemon.suspender
    let cgroup = suspender.known == .cgroup ? ", suspends with the cgroup freezer" : ""
    var lines = ["lulld \(Printable.text(daemon.version)), pid \(daemon.pid)\(cgroup)\(restarts)"]
    switch suspender.known {
    case .cgroup: break
    case .signal:
      lines.append("Programs are suspended with SIGSTOP: no cgroup can be written (\"lull doctor\").")
    case nil: lines.append("Programs are suspended with \(Printable.text(suspender.text)).")
    }
    if daemon.clockRate != 1 { lines.append("The clock runs \(daemon.clockRate.plain) times as fast.") }
    if daemon.isQuiet { lines.append("It is quiet: notifications make no sound.") }
    if daemon.isLocked { lines.append("The session is locked.") }
    return lines
  }

  private static func purges(_ program: ProgramReport) -> Table.Cell {
    guard let purges = program.purges else { return .init("") }
    let count = purges.count == 1 ? "once" : "\(purges.count) times"
    return .init("\(count), \(DurationText.text(seconds: purges.agoSeconds)) ago", short: count)
  }

  static func colour(_ state: OpenWord<ApplicationState>) -> Style.Colour? {
    switch state.known {
    case .active, .inactive: .green
    case .background: .yellow
    case .suspended: .cyan
    case .notRunning, nil: .dim
    }
  }

  static func awakeBecause(
    _ program: ProgramReport, _ duration: (Double) -> String = DurationText.text(seconds:)
  ) -> String {
    let foreground = program.state.known?.isInForeground == true ? ["foreground"] : []
    let refused = program.refused.map { [Printable.text($0.reason.text)] } ?? []
    return (foreground + program.leases.map { lease($0, duration) } + refused).joined(separator: ", ")
  }

  private static func lease(_ lease: LeaseItem, _ duration: (Double) -> String) -> String {
    let name = lease.task.map { "\(lease.kind.text) \($0)" } ?? lease.kind.text
    return lease.endsInSeconds.map { "\(name) \(duration($0))" } ?? name
  }

  /// For example `3 min ago: data on line 2 from 10.0.0.7:5090 (waited 31 us)`. What is cut off matters
  /// least.
  static func lastWake(_ wake: WakeItem) -> String {
    let line = wake.line.map { " on line \($0)" } ?? ""
    let peer = wake.peer.map { " from \($0)" } ?? ""
    let waited = wake.waitedMicroseconds.map { " (waited \(DurationText.text(microseconds: $0)))" } ?? ""
    return "\(DurationText.text(seconds: wake.agoSeconds)) ago: \(wake.reason.text)\(line)\(peer)\(waited)"
  }

  static func shortWake(_ wake: WakeItem) -> String { shortReason(wake) + (wake.peer.map { " \($0)" } ?? "") }

  private static func shortReason(_ wake: WakeItem) -> String {
    "\(DurationText.short(seconds: wake.agoSeconds)) ago: \(wake.reason.text)"
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
}

enum UsageText {
  static var parts: [Table.Part<ProgramReport>] {
    [
      .init("MEMORY", .rank(8)) {
        .init(memory($0), short: $0.residentBytes.map(mebibytes))
      },
      .init("CPU", .rank(9)) {
        .init(processor($0), short: $0.processorSeconds.map(seconds))
      },
    ]
  }

  /// For example `6.8 MiB (was 104 MiB)`.
  static func memory(_ program: ProgramReport) -> String? {
    guard let now = program.residentBytes else { return nil }
    guard let before = program.residentBytesBefore, before > now else { return mebibytes(now) }
    return "\(mebibytes(now)) (was \(mebibytes(before)))"
  }

  /// For example `12.04 s (0.01 s at its last wake)`.
  static func processor(_ program: ProgramReport) -> String? {
    guard let total = program.processorSeconds.map(seconds) else { return nil }
    return program.wakeProcessorSeconds.map { "\(total) (\(seconds($0)) at its last wake)" } ?? total
  }

  static func mebibytes(_ bytes: Int64) -> String {
    let tenths = (Double(bytes) / 1_048_576 * 10).rounded() / 10
    return tenths < 10 ? "\(tenths) MiB" : "\(Int64(tenths.rounded())) MiB"
  }

  private static func seconds(_ seconds: Double) -> String {
    "\(((seconds * 100).rounded() / 100).plain) s"
  }
}

enum OwnTimerText {
  /// For example `late 40 s`, `in 3 min 20 s`, `unknown`.
  static func cell(_ timer: TimerItem) -> String {
    text(timer, unknown: "unknown", DurationText.text(seconds:))
  }

  static func short(_ timer: TimerItem) -> String { text(timer, unknown: "?", DurationText.short) }

  private static func text(_ timer: TimerItem, unknown: String, _ duration: (Double) -> String) -> String {
    guard let due = timer.dueInSeconds else { return unknown }
    return "\(due > 0 ? "in" : "late") \(duration(abs(due)))"
  }

  /// For example `its own timer has been due for 40 s; it runs at the next wake, in 9 min 20 s at the latest
  /// (--timers)`.
  static func lines(_ timer: TimerItem) -> [String] {
    [timer.dueInSeconds.map { line(due: $0, timer) }, timer.isHidden ? hidden(timer) : nil].compactMap(\.self)
  }

  private static func line(due: Double, _ timer: TimerItem) -> String {
    let text =
      due > 0
      ? "its own timer is due in \(DurationText.text(seconds: due))"
      : "its own timer has been due for \(DurationText.text(seconds: -due))"
    return "\(text); it runs at the next wake\(latest(due: due, timer))"
  }

  /// The latest time of the wake. The program has slept since before the timer was due, and the floor counts
  /// from then at the latest.
  private static func latest(due: Double, _ timer: TimerItem) -> String {
    guard let floor = timer.floorSeconds else { return " (--timers never)" }
    let left = due > 0 ? max(due, floor) : floor + due
    return ", in \(DurationText.text(seconds: left)) at the latest (--timers)"
  }

  private static func hidden(_ timer: TimerItem) -> String {
    let look =
      timer.lookInSeconds.map { ", in \(DurationText.text(seconds: $0)) at the latest (--timers)" }
      ?? " (--timers never)"
    return "it may have an alarm, whose time cannot be read: its signals are looked at whenever lulld runs"
      + look
  }
}

enum EndedText {
  static func table(_ ended: [EndedItem], _ style: Style) -> String {
    guard !ended.isEmpty else { return "" }
    let table = Table(
      ended,
      [
        .init("ENDED") { .init($0.name, .bold) },
        .init("AT", .rank(2)) { .init(LocalTime(unix: $0.at).withoutFraction) },
        .init("HOW", .cut(rank: 1, least: 8)) { .init(how($0)) },
      ])
    return "\n" + table.text(style)
  }

  static func keptTable(_ lines: [LineItem], _ style: Style) -> String {
    guard !lines.isEmpty else { return "" }
    let table = Table(
      lines,
      [
        .init("KEPT FOR") { .init($0.program, .bold) }, .init("KIND", .rank(3)) { .init($0.kind.text) },
        .init("LOCAL", .cutLast(rank: 2, least: 9)) { .init($0.local) },
        .init("PEER", .cutLast(rank: 1, least: 9)) { .init($0.peer) },
        .init("SINCE", .rank(4)) { .init($0.since.map { LocalTime(unix: $0).withoutFraction }) },
      ])
    return "\n" + table.text(style)
  }

  /// For example `phone: crashed (SIGSEGV) at 2026-01-02 10:11:12`, with a LF.
  static func text(_ program: EndedItem, _ style: Style) -> String {
    let sentence =
      "\(Printable.text(program.name)): \(how(program)) at \(LocalTime(unix: program.at).withoutFraction)\n"
    return Prose.wrapped(sentence, columns: style.proseColumns)
  }

  /// For example `crashed (SIGSEGV)`; whoever has `asked` for the end does not have to be told why it came.
  static func how(_ program: EndedItem, asked: EndReason? = nil) -> String {
    guard !program.hasLeft else { return "left (not followed by Lull since then)" }
    let isKnown = asked != nil && program.reason?.known == asked
    return EndWords.text(isKnown ? nil : program.reason, program.exitStatus.knownWords)
  }
}
