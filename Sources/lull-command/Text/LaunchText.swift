import LullSystem
import LullWire

enum LaunchText {
  /// For example `launched for data on line server at 2026-01-02 10:11:12`.
  static func line(_ launch: EntryItem) -> String {
    let moment = LocalTime(unix: launch.at).description.prefix { $0 != "." }
    return "launched \(reason(launch)) at \(moment)"
  }

  private static func reason(_ launch: EntryItem) -> String {
    switch launch.cause.flatMap(LaunchReason.init) {
    case .user: "by hand (\"lull install\", \"start\" or \"restart\")"
    case .data: "for data" + (launch.detail.map { " on line \(Printable.text($0))" } ?? "")
    case .boot: "when lulld was started"
    case .crash: "after a crash"
    case .url: "for a link"
    case .notification: "for an answered notification"
    case .keepalive: "for its keep-alive"
    case nil: "(\(Printable.text(launch.cause ?? "nobody knows why")))"
    }
  }
}
