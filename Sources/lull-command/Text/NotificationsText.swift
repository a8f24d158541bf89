import LullSystem
import LullWire

enum NotificationNews: Encodable {
  case notification(NotificationItem)
  case withdrawn(UInt64)

  init(_ message: Message) throws(WireError) {
    self =
      message.notice == .withdrawn
      ? .withdrawn(try message.unsigned(.notification)) : .notification(try NotificationItem(message))
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .notification(let report): try report.encode(to: encoder)
    case .withdrawn(let id): try encoder.add(["id": id, "state": "withdrawn"])
    }
  }
}

enum NotificationsText {
  static func text(_ notifications: [NotificationItem], _ style: Style) -> String {
    guard !notifications.isEmpty else { return "No notifications.\n" }
    var table = Table([
      .init(title: "ID", alignment: .right), .init(title: "PROGRAM"), .init(title: "STATE", place: .rank(3)),
      .init(title: "AT", place: .rank(4)), .init(title: "REPEATS", place: .rank(5)),
      .init(title: "ACTION", place: .cut(rank: 2, least: 8)),
      .init(title: "TEXT", place: .cut(rank: 1, least: 12)),
    ])
    for notification in notifications {
      let title = notification.content.title.map { "\($0): " } ?? ""
      table.add([
        .init(String(notification.id)), .init(notification.program, .bold), .init(notification.state),
        .init(notification.at.map(moment) ?? "", short: notification.at.map(shortMoment)),
        .init(notification.repetition ?? ""),
        .init(notification.content.action ?? ""), .init(title + notification.content.body),
      ])
    }
    return table.text(style)
  }

  /// For example `3  phone  pending, call  Phone: New VOIP call  [Answer]`. The texts are strangers'.
  static func text(_ news: NotificationNews, _ style: Style) -> String {
    switch news {
    case .withdrawn(let id): return "\(id)  \(style.paint("withdrawn", .dim))\n"
    case .notification(let report):
      let program = style.paint(Printable.text(report.program), .bold)
      let state = report.state + (report.content.isCall ? ", call" : "")
      let title = report.content.title.map { "\($0): " } ?? ""
      let action = report.content.action.map { "  [\(Printable.text($0))]" } ?? ""
      let time = report.at.map { "  at \(moment($0))" } ?? ""
      return
        "\(report.id)  \(program)  \(state)\(time)  \(Printable.text(title + report.content.body))\(action)\n"
    }
  }

  private static func moment(_ seconds: Double) -> String { LocalTime(unix: seconds).description }

  private static func shortMoment(_ seconds: Double) -> String {
    String(moment(seconds).dropFirst(5).prefix(11))
  }
}
