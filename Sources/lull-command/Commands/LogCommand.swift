import ArgumentParser
import LullSystem
import LullWire

/// `lull log [--follow] [--last N] [--json]`.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show the journal: every wake, sleep and request with its cause.",
    discussion: "Example: lull log --last 20 --follow")

  @Flag(name: .customLong("follow"), help: "Go on with new entries until interrupted.")
  var isFollowing = false
  @Option(help: ArgumentHelp("Only the last N entries.", valueName: "n"))
  var last: Int?
  @Flag(name: .customLong("json"), help: "Write one JSON object per line.")
  var isJSON = false

  func run() throws(Failure) {
    if let last, last < 0 { throw .usage("--last \(last): must be 0 or more") }
    let style = Style.ofStandardOutput()
    var connection = try Daemon.connect()
    for item in try connection.ask(.log(follow: isFollowing, last: last)).items where item.itemKind == .entry
    {
      try write(item, style)
    }
    while isFollowing {
      while let notice = try connection.nextNotice() {
        if notice.notice == .entry { try write(notice, style) }
      }
      try connection.wait()
    }
  }

  private func write(_ item: Message, _ style: Style) throws(Failure) {
    let entry: EntryReport
    do { entry = try EntryReport(item) } catch { throw .unreadable(error) }
    try Output.write(
      isJSON
        ? JSONOutput.text(entry, .line) : LogText.text(entry, at: LocalTime(unix: entry.at), style: style))
  }
}

/// One entry of the journal for people.
enum LogText {
  /// For example `2026-01-02 10:11:12.345  phone  woke (data), line 3: 12 bytes`.
  static func text(_ entry: EntryReport, at time: LocalTime, style: Style) -> String {
    let program = style.paint(Printable.text(entry.program ?? "lulld"), .bold)
    let cause = entry.cause.map { " (\(Printable.text($0)))" } ?? ""
    let line = entry.line.map { ", line \($0)" } ?? ""
    let detail = entry.detail.map { ": \(Printable.text($0))" } ?? ""
    let moment = style.paint(time.description, .dim)
    return "\(moment)  \(program)  \(Printable.text(entry.what))\(cause)\(line)\(detail)\n"
  }
}
