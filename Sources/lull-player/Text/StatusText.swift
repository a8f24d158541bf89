import LullPlayer
import LullProgram
import LullWire

/// The output of `status`.
enum StatusText {
  /// One text line: the status, the place in the queue, the title and the time.
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

  /// The whole report, in text lines.
  static func full(_ report: StatusReport) -> String {
    var text =
      line(report)
      + "\nvolume \(report.volume) %, repeat \(report.repeatMode.rawValue)"
      + (report.isShuffled ? ", shuffled\n" : "\n")
    if report.replayGain.mode != .off {
      text += "replaygain \(report.replayGain.mode.rawValue), preamp \(report.replayGain.preamp) dB\n"
    }
    if let stream = report.stream, !stream.text.isEmpty { text += "stream \(Printable.text(stream.text))\n" }
    if let album = report.tags.album { text += "album \(Printable.text(album))\n" }
    if let cover = report.cover { text += "cover \(Printable.text(cover))\n" }
    if let note = report.note { text += "note: \(Printable.text(note))\n" }
    if let reason = report.troubles.withoutMpris {
      text += "no media keys (MPRIS): \(Printable.text(reason))\n"
    }
    if let reason = report.troubles.unsaved { text += "\(Printable.text(reason))\n" }
    return text
  }

  /// One JSON object in a text line; an unknown value is null.
  static func json(_ report: StatusReport, at now: Int64? = nil) -> String {
    JSON.object([
      ("status", .string(report.status.rawValue)), ("index", .integer(report.index)),
      ("count", .integer(report.count)), ("path", .string(report.path)),
      ("title", .string(report.tags.title)),
      ("artist", .string(report.tags.artist)), ("album", .string(report.tags.album)),
      ("genre", .string(report.tags.genre)), ("trackNumber", .string(report.tags.trackNumber)),
      ("cover", .string(report.cover)),
      ("positionSeconds", .number(report.position(at: now ?? report.at))),
      ("durationSeconds", .number(report.duration)), ("volume", .integer(report.volume)),
      ("repeat", .string(report.repeatMode.rawValue)), ("shuffled", .bool(report.isShuffled)),
      ("replayGain", .string(report.replayGain.mode.rawValue)),
      ("preampDecibels", .number(report.replayGain.preamp)),
      ("stream", report.stream.map(json) ?? .null),
      ("note", .string(report.note)),
      ("withoutMpris", .string(report.troubles.withoutMpris)),
      ("unsaved", .string(report.troubles.unsaved)),
    ]).text
  }

  private static func json(_ stream: StreamReport) -> JSON {
    .object([
      ("activity", .string(stream.activity.rawValue)), ("live", stream.isLive.map(JSON.bool) ?? .null),
      ("station", .string(stream.station)), ("bitsPerSecond", .integer(stream.bitRate)),
      ("reason", .string(stream.reason)),
    ])
  }
}
