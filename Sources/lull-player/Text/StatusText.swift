import LullPlayer
import LullProgram
import LullWire

enum StatusText {
  static func line(_ report: StatusReport, at now: Int64? = nil) -> String {
    guard let index = report.index, let title = report.title else {
      return
        report.status.rawValue
        + (report.count == 0 ? "  the queue is empty" : "  \(report.count) in the queue")
    }
    let position = report.position(at: now ?? report.at)
    let time = "\(ClockText.text(position)) / \(ClockText.text(report.duration))"
    return "\(report.status.rawValue)  \(index)/\(report.count)  \(Printable.text(title))  \(time)"
  }

  static func full(_ report: StatusReport) -> String {
    let (message, gain) = (report.message, report.replayGain)
    var lines = [
      line(report),
      "volume \(report.volume) %, repeat \(report.repeatMode.rawValue)"
        + (report.isShuffled ? ", shuffled" : ""),
    ]
    if gain.mode != .off { lines.append("replaygain \(gain.mode.rawValue), preamp \(gain.preamp) dB") }
    let optional = [
      ("stream ", report.streamText), ("album ", report.tags.album), ("cover ", message["cover"]),
      ("note: ", message["note"]), ("no media keys (MPRIS): ", message["withoutMpris"]),
      ("", message["unsaved"]),
    ]
    for case (let word, let text?) in optional { lines.append(word + Printable.text(text)) }
    return lines.map { $0 + "\n" }.joined()
  }

  /// One JSON object in a text line; an unknown value is null.
  static func json(_ report: StatusReport, at now: Int64? = nil) -> String {
    let message = report.message
    func text(_ keys: String...) -> [(String, JSON)] { keys.map { ($0, .string(message[$0])) } }
    let fields: [(String, JSON)] =
      [
        ("status", .string(report.status.rawValue)), ("index", .integer(report.index)),
        ("count", .integer(report.count)),
      ] + text("path", "title", "artist", "album", "genre", "trackNumber", "cover") + [
        ("positionSeconds", .number(report.position(at: now ?? report.at))),
        ("durationSeconds", .number(report.duration)), ("volume", .integer(report.volume)),
        ("repeat", .string(report.repeatMode.rawValue)), ("shuffled", .bool(report.isShuffled)),
        ("replayGain", .string(report.replayGain.mode.rawValue)),
        ("preampDecibels", .number(report.replayGain.preamp)), ("stream", stream(report)),
      ] + text("note", "withoutMpris", "unsaved")
    return JSON.object(fields).text
  }

  private static func stream(_ report: StatusReport) -> JSON {
    guard let activity = report.stream else { return .null }
    let message = report.message
    return .object([
      ("activity", .string(activity.rawValue)),
      ("live", message["live"].map { .bool($0 == "true") } ?? .null),
      ("station", .string(message["station"])), ("bitsPerSecond", .integer(report.bitRate)),
      ("reason", .string(message["reason"])),
    ])
  }
}

enum ListText {
  static func table(_ items: [Message]) -> String {
    let width = items.map { ($0["index"] ?? "").count }.max() ?? 1
    return items.map { item in
      let number = item["index"] ?? ""
      let mark = item["current"] == "true" ? ">" : " "
      let place = String(repeating: " ", count: width - number.count) + number
      let failure = item["failed"].map { "  (\(Printable.text($0)))" } ?? ""
      let time = ClockText.text(item["duration"].flatMap { Double($0) })
      return "\(mark) \(place)  \(time)  \(Printable.text(item["title"] ?? ""))\(failure)\n"
    }.joined()
  }

  static func json(_ items: [Message]) -> String {
    JSON.array(
      items.map { item in
        .object([
          ("index", .integer(item["index"].flatMap { Int($0) })), ("path", .string(item["path"])),
          ("title", .string(item["title"])),
          ("durationSeconds", .number(item["duration"].flatMap { Double($0) })),
          ("current", .bool(item["current"] == "true")), ("failed", .string(item["failed"])),
        ])
      }
    ).text
  }
}
