import LullChannel
import LullSystem
import LullWire

/// `lull status NAME` for people: what `lull why` says, and a name and its values in the lines below.
enum PageText {
  private static let mostProcesses = 8, mostLines = 8

  static func text(_ page: ProgramPage, _ style: Style) -> String {
    let notes = page.notes.map { "Note: \(Printable.text($0))\n" }.joined()
    return Prose.wrapped(notes, columns: style.proseColumns) + WhyText.text(page.why, style)
      + RowText.text(rows(page), indent: 2, style)
  }

  private static func rows(_ page: ProgramPage) -> [RowText.Row] {
    let program = page.program
    let modes = program.modes.isEmpty ? "none: it sleeps when it is sent to sleep" : words(program.modes)
    var rows: [RowText.Row] = [("state", [program.state.text]), ("pid", processes(program.pids))]
    rows.append(("command", page.command.isEmpty ? [] : [InstalledFile.line(page.command)]))
    rows.append(("since", one(page.since.map(since))))
    rows.append(("modes", [modes]))
    rows.append(("adopted", one(program.adopts.map { adopted($0.text, program.origin) })))
    rows.append(("asleep", [asleep(program)]))
    rows.append(("keep-alive", one(program.keepAlive.map(StatusText.keepAlive))))
    rows.append(("memory", one(UsageText.memory(program))))
    rows.append(("cpu", one(UsageText.processor(program))))
    rows.append(("lines", program.lines.isEmpty ? [] : lines(program.lines)))
    rows.append(("wakes", page.wakes.reversed().map { wake($0) }))
    rows.append(("log", page.log))
    return rows
  }

  private static func one(_ value: String?) -> [String] { value.map { [$0] } ?? [] }

  private static func adopted(_ kind: String, _ origin: String?) -> String {
    origin.map { "\(kind) \($0)" } ?? kind
  }

  private static func words(_ words: [String]) -> String { words.joined(separator: ", ") }

  private static func processes(_ pids: [Int64]) -> [String] {
    guard !pids.isEmpty else { return [] }
    let more = pids.count > mostProcesses ? " and \(pids.count - mostProcesses) more" : ""
    return [words(pids.prefix(mostProcesses).map { String($0) }) + more]
  }

  private static func since(_ moment: Double) -> String {
    let age = Double(Clock.realtime()) / 1e9 - moment
    return "\(LocalTime(unix: moment).withoutFraction), \(DurationText.short(seconds: age)) ago"
  }

  private static func asleep(_ program: ProgramReport) -> String {
    let time = StatusText.asleep(program)
    let wakes = program.wakes == 1 ? "woken once" : "woken \(program.wakes) times"
    let often = program.isOverBudget ? " (!), more often than 15 times within 5 min" : ""
    return "\(time.isEmpty ? "not yet" : time), \(wakes)\(often)"
  }

  private static func lines(_ lines: [LineItem]) -> [String] {
    guard lines.count <= mostLines else { return [LineText.sum(lines)] }
    return lines.map { line in
      let count = line.connections.map { ": \(LineText.connections($0))" } ?? ""
      let peer = line.peer.isEmpty || line.isSet ? "" : " with \(line.peer)"
      let unread = line.unread.map { $0 > 0 ? ", \($0) bytes unread" : "" } ?? ""
      return "\(line.id): \(LineText.name(line))\(count)\(peer)\(unread)"
    }
  }

  /// For example `2026-01-02 10:11:12  data on line 3 from 10.0.0.7:5090`; the last one comes first.
  private static func wake(_ entry: EntryItem) -> String {
    let line = entry.line.map { " on line \($0)" } ?? ""
    let sender = entry.peer.map { " from \($0)" } ?? entry.detail.map { ": \($0)" } ?? ""
    let count = entry.count > 1 ? ", \(entry.count) times" : ""
    return "\(LocalTime(unix: entry.at).withoutFraction)  \(entry.cause ?? "")\(line)\(sender)\(count)"
  }
}

enum RowText {
  typealias Row = (name: String, values: [String])

  /// A row without a value is left out.
  static func text(_ rows: [Row], indent: Int = 0, _ style: Style) -> String {
    let rows = rows.filter { !$0.values.isEmpty }
    let width = rows.reduce(0) { max($0, $1.name.count) } + 2
    let margin = String(repeating: " ", count: indent)
    return rows.map { row in
      let first = margin + style.paint(row.name, .bold) + row.name.padding(to: width)
      let rest = margin + "".padding(to: width)
      return row.values.enumerated().map { place, value in
        let line = (place == 0 ? first : rest) + Printable.text(value) + "\n"
        return Prose.wrapped(line, columns: style.proseColumns, hanging: place == 0 ? width : 2)
      }.joined()
    }.joined()
  }
}

enum DaemonStateText {
  static func text(_ report: DaemonStateReport, _ style: Style) -> String {
    RowText.text(rows(report).map { ($0, [$1]) }, style)
  }

  private static func rows(_ report: DaemonStateReport) -> [(name: String, value: String)] {
    let daemon = report.daemon
    var rows: [(name: String, value: String)] = [
      ("lulld", "process \(daemon.pid), version \(daemon.version)\(restarts(daemon.restarts))"),
      ("lull-guard", daemon.guardPid.map { "process \($0), watches" } ?? "none watches: nothing sleeps"),
    ]
    if let since = daemon.since {
      rows.append(("since", LocalTime(unix: since).withoutFraction))
    }
    if let starter = daemon.startedBy { rows.append(("started", words(starter))) }
    rows.append(("socket", report.socket))
    rows.append(
      ("sleep by", daemon.cgroupRoot.map { "cgroup \($0)" } ?? "signals (SIGSTOP), without cgroups"))
    rows.append(("programs", "\(report.programs), of which \(report.asleep) asleep"))
    if let watchdog = daemon.watchdogSeconds {
      rows.append(("watchdog", "a sign of life every \(DurationText.text(seconds: watchdog / 2))"))
    }
    return rows + report.notes.map { ("note", $0) }
  }

  private static func restarts(_ count: Int64) -> String {
    count == 0 ? "" : ", started again \(count == 1 ? "once" : "\(count) times")"
  }

  private static func words(_ starter: OpenWord<Vocabulary.Starter>) -> String {
    switch starter.known {
    case .use: "by the first command that needed it"
    case .daemonStart: "by \"lull daemon start\""
    case .hand: "by hand"
    case .service: "as a service"
    case nil: starter.text
    }
  }
}
