import LullSystem
import LullWire

enum SoundText {
  static func table(_ report: StatusReport, _ style: Style) -> String {
    let sessions = report.programs.flatMap(\.sessions)
    guard !sessions.isEmpty else { return "" }
    let table = Table(
      sessions,
      [
        .init("SOUND OF") { .init($0.program, .bold) },
        .init("SESSION", .rank(3), aligned: .right) { .init(String($0.id)) },
        .init("STATE", .cut(rank: 1, least: 10)) { .init(state($0), $0.isAudible ? .green : nil) },
        .init("LEVEL", .rank(2), aligned: .right) { .init($0.level.map(decibels)) },
        .init("FORMAT", .rank(4)) { .init(format($0)) },
        .init("QUEUED", .rank(5), aligned: .right) {
          .init($0.queuedSeconds.map(DurationText.text(seconds:)))
        },
      ])
    return "\n" + table.text(style) + Prose.wrapped(device(report), columns: style.columns)
  }

  /// For example `plays 48000 Hz stereo s16 at -20.1 dB, audible`.
  static func line(_ session: SessionItem) -> String {
    let does = session.direction.known == .capture ? "records" : "plays"
    let level = session.level.map { " at \(decibels($0))" } ?? ""
    return "session \(session.id) \(does) \(format(session))\(level), \(state(session))"
  }

  private static func state(_ session: SessionItem) -> String {
    let ducked = session.order.known == .duck ? ["ducked"] : []
    let audible = session.isAudible ? ["audible"] : []
    let starved = session.starved > 0 ? ["starved \(session.starved)"] : []
    return ([Printable.text(session.state.text)] + ducked + audible + starved).joined(separator: ", ")
  }

  private static func format(_ session: SessionItem) -> String {
    let channels =
      switch session.channels {
      case 1: "mono"
      case 2: "stereo"
      default: "\(session.channels) channels"
      }
    return "\(session.rate) Hz \(channels) \(Printable.text(session.format.text))"
  }

  private static func decibels(_ level: Double) -> String {
    let tenths = Int((level * 10).rounded())
    let sign = tenths < 0 ? "-" : ""
    return "\(sign)\(abs(tenths) / 10).\(abs(tenths) % 10) dB"
  }

  private static func device(_ report: StatusReport) -> String {
    switch report.device?.state.known {
    case .open: report.device?.name.map { "Sound goes to \(Printable.text($0)).\n" } ?? ""
    case .some(.none): "No sound device can be opened (\"lull doctor\" tells more).\n"
    case .closed, nil: ""
    }
  }
}

enum RouteText {
  static func text(_ report: SoundReport, _ style: Style) -> String {
    guard !report.sessions.isEmpty else { return "No sound.\n" }
    let table = Table(
      report.sessions,
      [
        .init("SOUND OF") { .init($0.program, .bold) },
        .init("SESSION", .rank(2), aligned: .right) { .init(String($0.session.id)) },
        .init("DIRECTION", .rank(3)) { .init($0.session.direction.text) },
        .init("STATE", .rank(4)) { .init($0.session.state.text) },
        .init("DEVICE", .cut(rank: 1, least: 12)) { .init(device($0.session)) },
      ])
    let devices = report.devices.compactMap(line).joined()
    return table.text(style) + Prose.wrapped(devices, columns: style.columns)
  }

  /// For example `default (hw:1 cannot be opened)`.
  private static func device(_ session: SessionItem) -> String {
    let missing = session.wantedDevice.map { " (\($0) cannot be opened)" } ?? ""
    return session.device + missing
  }

  private static func line(_ device: DeviceItem) -> String? {
    guard let name = device.name else { return nil }
    let text =
      switch device.state.known {
      case .open: "is open"
      case .some(.none): "cannot be opened (\"lull doctor\" tells more)"
      case .closed, nil: "is closed"
      }
    return "\(Printable.text(name)) \(text).\n"
  }
}

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
  private static func titles(_ item: NotificationItem) -> [String] {
    [item.content.action, item.content.otherAction].compactMap(\.self)
  }

  static func text(_ notifications: [NotificationItem], _ style: Style) -> String {
    guard !notifications.isEmpty else { return "No notifications.\n" }
    let table = Table(
      notifications,
      [
        .init("ID", aligned: .right) { .init(String($0.id)) }, .init("PROGRAM") { .init($0.program, .bold) },
        .init("STATE", .rank(3)) { .init($0.state.text) },
        .init("AT", .rank(4)) { .init($0.at.map(moment), short: $0.at.map { LocalTime(unix: $0).short }) },
        .init("REPEATS", .rank(5)) { .init($0.repetition) },
        .init("ACTION", .cut(rank: 2, least: 8)) {
          .init(titles($0).isEmpty ? nil : titles($0).joined(separator: ", "))
        },
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
      let state = report.state.text + (report.content.isCall ? ", call" : "")
      let action = titles(report).map { "  [\(Printable.text($0))]" }.joined()
      let time = report.at.map { "  at \(moment($0))" } ?? ""
      return "\(report.id)  \(program)  \(state)\(time)  \(Printable.text(words(report)))\(action)\n"
    }
  }

  private static func words(_ notification: NotificationItem) -> String {
    (notification.content.title.map { "\($0): " } ?? "") + notification.content.body
  }

  private static func moment(_ seconds: Double) -> String { LocalTime(unix: seconds).description }

}
