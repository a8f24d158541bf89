import LullBus
import LullModel
import LullWire

/// A notification in the words of a server (Desktop Notifications Specification, "Notify").
struct Wording {
  /// The user chooses this action with the notification itself.
  static let defaultKey = NotificationAction.default.rawValue
  /// The button that declines a ringing call.
  private static let declineKey = NotificationAction.dismiss.rawValue
  /// In scalars of Unicode: a longer text would fill the screen.
  private static let longest = 2000

  let content: NotificationToShow
  let abilities: Abilities

  func values(replacing number: UInt32?) -> [BusValue] {
    [
      .string(Self.plain(content.program)), .uint32(number ?? 0), .string(""), .string(summary),
      .string(body), .strings(actions), .dictionary(hints), .int32(content.isCall ? 0 : -1),
    ]
  }

  static func action(_ key: String, of content: NotificationToShow) -> String? {
    if key == defaultKey || content.rings && key == declineKey { return key }
    return [content.action, content.otherAction].compactMap(\.self).first { key == plain($0) }
  }

  private var heading: String { Self.plain(content.title ?? content.program) }

  private var summary: String {
    abilities.body ? heading : "\(heading): \(Self.plain(text))"
  }

  private var body: String {
    guard abilities.body else { return "" }
    let plain = Self.plain(text, keepingLines: true)
    return abilities.markup ? Self.escaped(plain) : plain
  }

  /// With the way to the action where the server has no buttons.
  private var text: String {
    guard let action = content.action, !abilities.actions else { return content.body }
    let actions =
      [Self.quoted(action)] + (content.otherAction.map { [Self.quoted($0)] } ?? [])
      + (content.rings ? [Self.declineKey] : [])
    return ([content.body] + actions.map { "lull answer \(content.id.number) \($0)" }).joined(separator: "\n")
  }

  private var actions: [String] {
    guard abilities.actions else { return [] }
    let usual = [Self.defaultKey, "Open"]
    guard let action = content.action.map({ Self.plain($0) }), !action.isEmpty,
      ![Self.defaultKey, Self.declineKey].contains(action)
    else { return usual }
    let other = content.otherAction.map { [$0, $0] } ?? []
    return usual + [action, action] + other + (content.rings ? [Self.declineKey, "Decline"] : [])
  }

  /// 0 low, 1 normal, 2 critical.
  private var urgency: UInt8 { (content.isCall ? 2 : 1) - (content.isQuiet ? 1 : 0) }

  private var hints: [BusEntry] {
    var hints = [
      BusEntry("urgency", .byte(urgency)),
      BusEntry("desktop-entry", .string(Self.plain(content.program))),
      // lulld plays the sound itself, where there is one.
      BusEntry("suppress-sound", .bool(true)),
    ]
    if content.isCall {
      hints.append(BusEntry("category", .string(content.rings ? "call.incoming" : "call")))
    }
    return hints
  }
}

extension Wording {
  /// Without characters that steer a terminal or turn the direction of writing.
  static func plain(_ text: String, keepingLines: Bool = false) -> String {
    var result = ""
    for scalar in text.unicodeScalars.prefix(longest) {
      switch scalar.properties.generalCategory {
      case .control where keepingLines && scalar == "\n": result.unicodeScalars.append(scalar)
      case .control, .lineSeparator, .paragraphSeparator: result += " "
      // A joiner belongs to its letters and emoji.
      case .format where scalar != "\u{200D}" && scalar != "\u{200C}": break
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    // By scalars, because a combining mark makes one Character with the sign beside it.
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    if isPlain && !word.isEmpty { return word }
    let parts = word.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
    return "'\(parts.map { String($0) }.joined(separator: "'\\''"))'"
  }
}

/// Desktop Notifications Specification, "GetCapabilities".
struct Abilities: Equatable {
  var actions: Bool
  var body: Bool
  var markup: Bool

  init(_ words: [String]) {
    actions = words.contains("actions")
    body = words.contains("body")
    markup = words.contains("body-markup")
  }
}
