import LullWire

enum WhyText {
  static func text(_ report: WhyReport, _ style: Style) -> String {
    var lines = ["\(style.paint(Printable.text(report.name), .bold)) \(state(report.state))"]
    lines += report.leases.map { "  \(lease($0))" }
    lines += report.sessions.map { "  \(SoundText.line($0))" }
    if let refusal = report.sleep?.refusal { lines += RefusalText.lines(refusal, plays: report.plays) }
    if let timer = report.ownTimer { lines += OwnTimerText.lines(timer) }
    if !report.signals.isEmpty { lines.append(waiting(report)) }
    if let wake = report.wake { lines.append(WakeText.text(wake, lines: report.lines)) }
    if let ago = report.sleep?.agoSeconds {
      lines.append("last fell asleep \(DurationText.text(seconds: ago)) ago")
    }
    if let launch = report.launch { lines.append(LaunchText.line(launch)) }
    lines += report.remarks.map(Printable.text)
    return Prose.wrapped(lines.map { $0 + "\n" }.joined(), columns: style.proseColumns)
  }

  /// For example `SIGTERM waits for its next wake; "lull wake phone" lets it take it`.
  private static func waiting(_ report: WhyReport) -> String {
    let (names, isOne) = (report.signals.joined(separator: ", "), report.signals.count == 1)
    let command = "\"lull wake \(Printable.text(report.name))\""
    return isOne
      ? "\(names) waits for its next wake; \(command) lets it take it"
      : "\(names) wait for its next wake; \(command) lets it take them"
  }

  /// `next` is how the program can be started, where the daemon has no word on that.
  static func text(_ report: WhyEndedReport, next: String?, _ style: Style) -> String {
    let end = report.ended.map { EndedText.text($0, style) }
    let isSilent = end != nil || report.state == "unmanaged"
    var lines = isSilent ? [] : ["\(style.paint(Printable.text(report.name), .bold)) is not running"]
    lines += report.remarks.map(Printable.text)
    if report.remarks.isEmpty {
      lines += [report.installed.map { "started again: \(InstalledText.next($0))" } ?? next].compactMap(
        \.self)
    }
    return (end ?? "") + Prose.wrapped(lines.map { $0 + "\n" }.joined(), columns: style.proseColumns)
  }

  static func state(_ state: String) -> String {
    switch state {
    case "active": "is in the foreground"
    case "inactive": "is in the foreground: on its way, or behind the lock or a call"
    case "background": "is in the background and awake"
    case "suspended": "is asleep"
    case "notRunning": "is not running"
    default: "is \(Printable.text(state))"
    }
  }

  static func lease(_ lease: LeaseItem) -> String {
    let end = lease.endsInSeconds.map { ", for \(DurationText.text(seconds: $0)) at most" } ?? ""
    return "\(cause(lease))\(end)"
  }

  private static func cause(_ lease: LeaseItem) -> String {
    switch lease.kind {
    case "launching": "it is being launched"
    case "transition": "it is told that it changes between foreground and background"
    case "wake": "it handles what woke it"
    case "keepalive": "its keep-alive runs"
    case "task":
      lease.task.map { "its background task \"\(Printable.text($0))\" runs" } ?? "a background task runs"
    case "audible": "what it plays can be heard"
    case "recording": "it records"
    case "call": "it is in a call"
    case "refill": "it fills its sound buffer"
    default: Printable.text(lease.kind)
    }
  }
}
