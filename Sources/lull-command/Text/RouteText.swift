import LullWire

enum RouteText {
  static func text(_ report: SoundReport, _ style: Style) -> String {
    guard !report.sessions.isEmpty else { return "No sound.\n" }
    var table = Table([
      .init(title: "SOUND OF"), .init(title: "SESSION", alignment: .right, place: .rank(2)),
      .init(title: "DIRECTION", place: .rank(3)), .init(title: "STATE", place: .rank(4)),
      .init(title: "DEVICE", place: .cut(rank: 1, least: 12)),
    ])
    for place in report.sessions {
      let session = place.session
      table.add([
        .init(place.program, .bold), .init(String(session.id)), .init(session.direction),
        .init(session.state), .init(device(session)),
      ])
    }
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
      switch device.state {
      case "open": "is open"
      case "none": "cannot be opened (\"lull doctor\" tells more)"
      default: "is closed"
      }
    return "\(Printable.text(name)) \(text).\n"
  }
}
