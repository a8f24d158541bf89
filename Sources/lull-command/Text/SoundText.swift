import LullWire

enum SoundText {
  static func table(_ report: StatusReport, _ style: Style) -> String {
    var table = Table([
      .init(title: "SOUND OF"), .init(title: "SESSION", alignment: .right, place: .rank(3)),
      .init(title: "STATE", place: .cut(rank: 1, least: 10)),
      .init(title: "LEVEL", alignment: .right, place: .rank(2)), .init(title: "FORMAT", place: .rank(4)),
      .init(title: "QUEUED", alignment: .right, place: .rank(5)),
    ])
    for program in report.programs {
      for session in program.sessions { table.add(row(program, session)) }
    }
    guard report.programs.contains(where: { !$0.sessions.isEmpty }) else { return "" }
    return "\n" + table.text(style) + Prose.wrapped(device(report), columns: style.columns)
  }

  /// For example `plays 48000 Hz stereo s16 at -20.1 dB, audible`.
  static func line(_ session: SessionItem) -> String {
    let does = session.direction == "capture" ? "records" : "plays"
    let level = session.level.map { " at \(decibels($0))" } ?? ""
    return "session \(session.id) \(does) \(format(session))\(level), \(state(session))"
  }

  private static func row(_ program: ProgramReport, _ session: SessionItem) -> [Table.Cell] {
    [
      .init(program.name, .bold), .init(String(session.id)),
      .init(state(session), session.isAudible ? .green : nil),
      .init(session.level.map(decibels) ?? ""), .init(format(session)),
      .init(session.queuedSeconds.map { DurationText.text(seconds: $0) } ?? ""),
    ]
  }

  private static func state(_ session: SessionItem) -> String {
    let ducked = session.order == "duck" ? ["ducked"] : []
    let audible = session.isAudible ? ["audible"] : []
    let starved = session.starved > 0 ? ["starved \(session.starved)"] : []
    return ([Printable.text(session.state)] + ducked + audible + starved).joined(separator: ", ")
  }

  private static func format(_ session: SessionItem) -> String {
    let channels =
      switch session.channels {
      case 1: "mono"
      case 2: "stereo"
      default: "\(session.channels) channels"
      }
    return "\(session.rate) Hz \(channels) \(Printable.text(session.format))"
  }

  private static func decibels(_ level: Double) -> String {
    let tenths = Int((level * 10).rounded())
    let sign = tenths < 0 ? "-" : ""
    return "\(sign)\(abs(tenths) / 10).\(abs(tenths) % 10) dB"
  }

  private static func device(_ report: StatusReport) -> String {
    switch (report.device?.state, report.device?.name) {
    case ("open", let name?): "Sound goes to \(Printable.text(name)).\n"
    case ("none", _): "No sound device can be opened (\"lull doctor\" tells more).\n"
    default: ""
    }
  }
}

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
