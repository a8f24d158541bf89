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
      .init(title: "ID", alignment: .right), .init(title: "PROGRAM"), .init(title: "STATE"),
      .init(title: "AT"), .init(title: "REPEATS"), .init(title: "ACTION"), .init(title: "TEXT"),
    ])
    for notification in notifications {
      let title = notification.title.map { "\($0): " } ?? ""
      table.add([
        .init(String(notification.id)), .init(notification.program, .bold), .init(notification.state),
        .init(notification.at.map { LocalTime(unix: $0).description } ?? ""),
        .init(notification.repeatSeconds.map { "every \(DurationText.text(seconds: $0))" } ?? ""),
        .init(notification.action ?? ""), .init(title + notification.body),
      ])
    }
    return table.text(style)
  }
}
