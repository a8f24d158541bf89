import LullPlayer
import LullProgram
import LullWire

enum StatusText {
  static func line(_ report: StatusReport, at now: Int64? = nil) -> String {
    guard let index = report.integer("index"), let title = report.title else {
      return report.status.rawValue
        + (report.count == 0 ? "  the queue is empty" : "  \(report.count) in the queue")
    }
    let position = report.position(at: now ?? report.at)
    let time = "\(ClockText.text(position)) / \(ClockText.text(report.duration))"
    return "\(report.status.rawValue)  \(index)/\(report.count)  \(Printable.text(title))  \(time)"
  }

  static func full(_ report: StatusReport) -> String {
    func word(_ key: String) -> String { report.message[key] ?? "" }
    let gain = ReplayGainSettings(report.message)
    let shuffled = word("shuffle") == "on" ? ", shuffled" : ""
    let lines: [(String, String?)] = [
      ("", line(report)), ("", "volume \(word("volume")) %, repeat \(word("repeat"))\(shuffled)"),
      ("", gain.mode == .off ? nil : "replaygain \(gain.mode.rawValue), preamp \(gain.preamp) dB"),
      ("stream ", stream(report)), ("album ", report.tags.album), ("cover ", report.message["cover"]),
      ("note: ", report.message["note"]), ("no media keys (MPRIS): ", report.message["withoutMpris"]),
      ("", report.message["unsaved"]),
    ]
    return lines.compactMap { head, text in text.map { "\(head)\(Printable.text($0))\n" } }.joined()
  }

  /// The stream's activity and station; nil for a file, or where there is nothing to say.
  private static func stream(_ report: StatusReport) -> String? {
    guard let stream = report.stream else { return nil }
    let reason = report.message["reason"].map { " (\($0))" } ?? ""
    let words = [
      stream == .off ? nil : stream.rawValue + reason, report.message["station"],
      report.integer("bitRate").map { "\($0 / 1000) kbit/s" },
    ].compactMap(\.self)
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// One JSON object in a text line; an unknown value is null.
  static func json(_ report: StatusReport, at now: Int64? = nil) -> String {
    func text(_ keys: String...) -> [(String, JSON)] {
      keys.map { ($0, .string(report.message[$0])) }
    }
    func integer(_ key: String) -> (String, JSON) { (key, .integer(report.integer(key))) }
    let gain = ReplayGainSettings(report.message)
    let stream: [(String, JSON)] = [
      ("activity", .string(report.stream?.rawValue)),
      ("live", report.message["live"].map { .bool($0 == "true") } ?? .null),
      ("station", .string(report.message["station"])), ("bitsPerSecond", .integer(report.integer("bitRate"))),
      ("reason", .string(report.message["reason"])),
    ]
    var fields = text("status") + [integer("index"), ("count", .integer(report.count))]
    fields += text("path", "title", "artist", "album", "genre", "trackNumber", "cover")
    fields += [
      ("positionSeconds", .number(report.position(at: now ?? report.at))),
      ("durationSeconds", .number(report.duration)), integer("volume"),
    ]
    fields +=
      text("repeat") + [
        ("shuffled", .bool(report.message["shuffle"] == "on")), ("replayGain", .string(gain.mode.rawValue)),
        ("preampDecibels", .number(gain.preamp)), ("stream", report.stream == nil ? .null : .object(stream)),
      ]
    return JSON.object(fields + text("note", "withoutMpris", "unsaved")).text
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
    let objects = items.map { item in
      JSON.object([
        ("index", .integer(item["index"].flatMap { Int($0) })), ("path", .string(item["path"])),
        ("title", .string(item["title"])),
        ("durationSeconds", .number(item["duration"].flatMap { Double($0) })),
        ("current", .bool(item["current"] == "true")), ("failed", .string(item["failed"])),
      ])
    }
    return JSON.array(objects).text
  }
}
