import LullSystem
import LullWire

enum DaemonStateText {
  static func text(_ report: DaemonStateReport) -> String {
    let width = rows(report).reduce(0) { max($0, $1.name.count) }
    return rows(report).map { name, value in
      "\(name)\(String(repeating: " ", count: width - name.count + 2))\(Printable.text(value))\n"
    }.joined()
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
    return rows + report.remarks.map { ("remark", $0) }
  }

  private static func restarts(_ count: Int64) -> String {
    count == 0 ? "" : ", started again \(count == 1 ? "once" : "\(count) times")"
  }

  private static func words(_ starter: String) -> String {
    switch Vocabulary.Starter(rawValue: starter) {
    case .use: "by the first command that needed it"
    case .daemonStart: "by \"lull daemon start\""
    case .hand: "by hand"
    case .service: "as a service"
    case nil: starter
    }
  }
}
