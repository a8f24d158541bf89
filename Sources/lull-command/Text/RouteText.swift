import LullWire

/// `lull sound` for people.
enum RouteText {
  static func text(_ report: SoundReport, _ style: Style) -> String {
    guard !report.sessions.isEmpty else { return "No sound.\n" }
    var table = Table([
      .init(title: "SOUND OF"), .init(title: "SESSION", alignment: .right), .init(title: "DIRECTION"),
      .init(title: "STATE"), .init(title: "DEVICE"),
    ])
    for place in report.sessions {
      let session = place.session
      table.add([
        .init(place.program, .bold), .init(String(session.id)), .init(session.direction),
        .init(session.state), .init(device(session)),
      ])
    }
    return table.text(style) + report.devices.compactMap(line).joined()
  }

  /// For example `default (hw:1 cannot be opened)`.
  private static func device(_ session: SessionReport) -> String {
    let missing = session.wantedDevice.map { " (\($0) cannot be opened)" } ?? ""
    return (session.device ?? "") + missing
  }

  private static func line(_ device: DeviceReport) -> String? {
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
