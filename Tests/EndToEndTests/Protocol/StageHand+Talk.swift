import LullSystem
import LullWire
import TestSupport
import Testing

// What is said to the daemon, and what it must answer.
extension StageHand {
  /// `REQUEST [with DESCRIPTOR] [-> CODE | => key=value ...]`.
  func ask(_ name: String, _ line: String) throws {
    let (front, code) = Self.parted(line, " -> ")
    let (head, wanted) = Self.parted(front, " => ")
    let (request, gift) = Self.parted(head, " with ")
    let speaker = try speaker(name)
    let reply = try speaker.ask(request, descriptor: gift.map { try descriptor($0, for: name) })
    guard code == nil else {
      try demand(reply[.code] == code, "\(request): expected \(code ?? ""), came \(reply.text)")
      return
    }
    try demand(reply.answer == .ok, "\(request): \(reply.text)")
    keep(reply, of: name)
    for field in (wanted ?? "").split(separator: " ") {
      try demand(Self.fits(reply, String(field)), "\(request): expected \(field), came \(reply.text)")
    }
  }

  /// `NOTICE key=value ...`.
  func hear(_ name: String, _ line: String) throws {
    let (notice, fields) = Self.cut(line)
    let wanted = fields.split(separator: " ").map(String.init)
    keep(
      try speaker(name).notice(notice) { message in wanted.allSatisfy { Self.fits(message, $0) } }, of: name)
  }

  func expectItem(_ name: String, _ line: String) throws {
    let found = try item(of: name, line)
    guard let found else {
      throw NothingCame(
        description: "no such item in\n\(try speaker(name).items.map(\.text).joined(separator: "\n"))")
    }
    keep(found, of: name)
  }

  func expectNone(_ name: String, _ line: String) throws {
    let found = try item(of: name, line)
    try demand(found == nil, "there is \(found?.text ?? "")")
  }

  func item(of name: String, _ line: String) throws -> Message? {
    let wanted = line.split(separator: " ").map(String.init)
    let speaker = try speaker(name)
    return (speaker.items + [speaker.reply].compactMap(\.self)).first { item in
      wanted.allSatisfy { Self.fits(item, $0) }
    }
  }

  /// `bounds NAME REQUEST`: the value of the field is `@`. The least and the greatest value of the page are
  /// no bad values, and what lies outside is. Requests before a ` ; ` come first each time.
  func tryBounds(_ name: String, _ text: String) throws {
    let preparations = text.components(" ; ").dropLast()
    let line = text.components(" ; ").last ?? text
    let field = try #require(line.split(separator: " ").first { $0.hasSuffix("=@") }?.dropLast(2))
    let rows = page.bounds.filter { $0.field == field && $0.fits(line) }
    let bound = try #require(rows.first, "the page has no bounds of \(field)")
    func answer(_ value: String) throws -> String? {
      for preparation in preparations { try ask(name, preparation) }
      return try speaker(name).ask(line.replacing("=@", with: "=\(value)"))[.code]
    }
    for value in [bound.lowest, bound.highest] {
      let code = try answer(value)
      try demand(code == nil || code != "bad-value" && code != bound.code, "\(field)=\(value): \(code ?? "")")
    }
    for value in [bound.below, bound.above].compactMap(\.self) {
      let code = try answer(value)
      try demand(code == "bad-value" || code == bound.code, "\(field)=\(value): \(code ?? "ok")")
    }
    spoken.note(bound: bound.name)
  }

  private func keep(_ message: Message, of name: String) {
    for field in message.fields { values["\(name).\(field.key)"] = field.text }
  }

  /// `key`: the field is there; `key=value`: it has this value; `key=value*`: it begins so.
  private static func fits(_ message: Message, _ wanted: String) -> Bool {
    let parts = wanted.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let value = message[String(parts[0])] else { return false }
    guard parts.count == 2 else { return true }
    return parts[1].hasSuffix("*") ? value.hasPrefix(parts[1].dropLast()) : value == parts[1]
  }

  /// Connects, and is refused before anything was asked.
  func expectRefusal(_ name: String, _ code: String) throws {
    let reply = try speaker(name).answer()
    try demand(reply[.code] == code, "expected \(code), came \(reply.text)")
  }

  static func parted(_ line: String, _ mark: String) -> (String, String?) {
    guard let place = line.firstRange(of: mark) else { return (line, nil) }
    return (String(line[..<place.lowerBound]), String(line[place.upperBound...]))
  }
}

/// Fails with a text unless it is true.
func demand(_ isTrue: Bool, _ text: @autoclosure () -> String) throws {
  if !isTrue { throw NothingCame(description: text()) }
}

extension Message {
  /// The message as a line.
  var text: String { (try? encoded()).map { String(decoding: $0.dropLast(), as: UTF8.self) } ?? verb }
}

extension String {
  func components(_ mark: String) -> [String] { split(separator: mark).map(String.init) }
}

extension ProtocolPage.Bound {
  /// The field, and the request where the bounds are only that one's.
  var name: String { request.map { "\(field) of \($0)" } ?? field }

  /// True for a request with these bounds.
  func fits(_ line: String) -> Bool { request.map { line.hasPrefix($0) } ?? true }

  var lowest: String { Self.number(least) }
  var highest: String { Self.number(greatest) }
  /// The code for less than the least value.
  var code: String? { ProtocolPage.spans(in: least).first }
  var below: String? { lowest == "0" ? "-1" : "\((Int(lowest) ?? 1) - 1)" }
  var above: String? { UInt64(highest).map { $0 == .max ? "18446744073709551616" : "\($0 + 1)" } }

  /// The number of a cell, without its unit.
  private static func number(_ cell: String) -> String { String(cell.prefix { $0.isNumber }) }
}
