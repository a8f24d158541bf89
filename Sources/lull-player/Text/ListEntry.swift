import LullPlayer
import LullProgram
import LullWire

/// One item of `list`.
struct ListEntry: Equatable {
  var index = 0
  var path = ""
  var title = ""
  var duration: Double?
  var isCurrent = false
  var failure: String?

  init(_ message: Message) {
    index = message["index"].flatMap { Int($0) } ?? 0
    path = message["path"] ?? ""
    title = message["title"] ?? path
    duration = message["duration"].flatMap { Double($0) }
    isCurrent = message["current"] == "true"
    failure = message["failed"]
  }

  /// One text line per item, the current item with a mark.
  static func table(_ items: [ListEntry]) -> String {
    let width = items.map { String($0.index).count }.max() ?? 1
    return items.map { item in
      let number = String(item.index)
      let mark = item.isCurrent ? ">" : " "
      let place = String(repeating: " ", count: width - number.count) + number
      let failure = item.failure.map { "  (\(Printable.text($0)))" } ?? ""
      return "\(mark) \(place)  \(ClockText.text(item.duration))  \(Printable.text(item.title))\(failure)\n"
    }.joined()
  }

  static func json(_ items: [ListEntry]) -> String {
    JSON.array(
      items.map { item in
        .object([
          ("index", .integer(item.index)), ("path", .string(item.path)), ("title", .string(item.title)),
          ("durationSeconds", .number(item.duration)), ("current", .bool(item.isCurrent)),
          ("failed", .string(item.failure)),
        ])
      }
    ).text
  }
}
