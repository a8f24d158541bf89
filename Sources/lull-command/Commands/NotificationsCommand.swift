import ArgumentParser
import LullSystem
import LullWire

/// `lull notifications [--json]`.
struct NotificationsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notifications",
    abstract: "Show the notifications that wait for an answer or for their time.",
    discussion: "Example: lull notifications; lull answer 3 Answer")

  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    let notifications = try Daemon.ask(.notifications(follow: false)) { (items) throws(WireError) in
      try items.read(.notification, NotificationReport.init)
    }
    try Output.write(
      json.isJSON
        ? JSONOutput.text(notifications) : NotificationsText.text(notifications, .ofStandardOutput()))
  }
}

/// `lull notifications` for people.
enum NotificationsText {
  static func text(_ notifications: [NotificationReport], _ style: Style) -> String {
    guard !notifications.isEmpty else { return "No notifications.\n" }
    var table = Table([
      .init(title: "ID", alignment: .right), .init(title: "PROGRAM"), .init(title: "STATE", place: .rank(3)),
      .init(title: "AT", place: .rank(4)), .init(title: "REPEATS", place: .rank(5)),
      .init(title: "ACTION", place: .cut(rank: 2, least: 8)),
      .init(title: "TEXT", place: .cut(rank: 1, least: 12)),
    ])
    for notification in notifications {
      let title = notification.title.map { "\($0): " } ?? ""
      table.add([
        .init(String(notification.id)), .init(notification.program, .bold), .init(notification.state),
        .init(notification.at.map(moment) ?? "", short: notification.at.map(shortMoment)),
        .init(notification.repeatSeconds.map { "every \(DurationText.text(seconds: $0))" } ?? ""),
        .init(notification.action ?? ""), .init(title + notification.body),
      ])
    }
    return table.text(style)
  }

  private static func moment(_ seconds: Double) -> String { LocalTime(unix: seconds).description }

  /// For example `01-02 10:11`.
  private static func shortMoment(_ seconds: Double) -> String {
    String(moment(seconds).dropFirst(5).prefix(11))
  }
}
