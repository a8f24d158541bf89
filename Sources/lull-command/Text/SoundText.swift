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
    let does = session.direction == "capture" ? "records" : "plays"
    let level = session.level.map { " at \(decibels($0))" } ?? ""
    return "session \(session.id) \(does) \(format(session))\(level), \(state(session))"
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
    let table = Table(
      report.sessions,
      [
        .init("SOUND OF") { .init($0.program, .bold) },
        .init("SESSION", .rank(2), aligned: .right) { .init(String($0.session.id)) },
        .init("DIRECTION", .rank(3)) { .init($0.session.direction) },
        .init("STATE", .rank(4)) { .init($0.session.state) },
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
      switch device.state {
      case "open": "is open"
      case "none": "cannot be opened (\"lull doctor\" tells more)"
      default: "is closed"
      }
    return "\(Printable.text(name)) \(text).\n"
  }
}
