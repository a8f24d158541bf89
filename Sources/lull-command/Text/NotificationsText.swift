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
    let table = Table(
      notifications,
      [
        .init("ID", aligned: .right) { .init(String($0.id)) }, .init("PROGRAM") { .init($0.program, .bold) },
        .init("STATE", .rank(3)) { .init($0.state) },
        .init("AT", .rank(4)) { .init($0.at.map(moment), short: $0.at.map { LocalTime(unix: $0).short }) },
        .init("REPEATS", .rank(5)) { .init($0.repetition) },
        .init("ACTION", .cut(rank: 2, least: 8)) { .init($0.content.action) },
        .init("TEXT", .cut(rank: 1, least: 12)) { .init(words($0)) },
      ])
    return table.text(style)
  }

  /// For example `3  phone  pending, call  Phone: New VOIP call  [Answer]`. The texts are strangers'.
  static func text(_ news: NotificationNews, _ style: Style) -> String {
    switch news {
    case .withdrawn(let id): return "\(id)  \(style.paint("withdrawn", .dim))\n"
    case .notification(let report):
      let program = style.paint(Printable.text(report.program), .bold)
      let state = report.state + (report.content.isCall ? ", call" : "")
      let action = report.content.action.map { "  [\(Printable.text($0))]" } ?? ""
      let time = report.at.map { "  at \(moment($0))" } ?? ""
      return
        "\(report.id)  \(program)  \(state)\(time)  \(Printable.text(words(report)))\(action)\n"
    }
  }

  private static func words(_ notification: NotificationItem) -> String {
    (notification.content.title.map { "\($0): " } ?? "") + notification.content.body
  }

  private static func moment(_ seconds: Double) -> String { LocalTime(unix: seconds).description }

}
