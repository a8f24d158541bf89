import LullBus
import LullModel
import LullWire

/// A notification in the words of a server (Desktop Notifications Specification, "Notify").
struct Wording {
  /// The key of the action that the user chooses with the notification itself.
  static let defaultKey = NotificationAction.default.rawValue
  /// The key of the button with which a call that rings is declined.
  private static let declineKey = NotificationAction.dismiss.rawValue
  /// The longest text in scalars of Unicode; who sends a longer one wants to fill the screen.
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
    guard let action = content.action, key == plain(action) else { return nil }
    return action
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

  /// The text, with the way to the action where the server has no button for it.
  private var text: String {
    guard let action = content.action, !abilities.actions else { return content.body }
    let actions = [Self.quoted(action)] + (content.rings ? [Self.declineKey] : [])
    return ([content.body] + actions.map { "lull answer \(content.id.number) \($0)" }).joined(separator: "\n")
  }

  private var actions: [String] {
    guard abilities.actions else { return [] }
    let usual = [Self.defaultKey, "Open"]
    guard let action = content.action.map({ Self.plain($0) }), !action.isEmpty,
      ![Self.defaultKey, Self.declineKey].contains(action)
    else { return usual }
    return usual + [action, action] + (content.rings ? [Self.declineKey, "Decline"] : [])
  }

  /// 0 low, 1 normal, 2 critical.
  private var urgency: UInt8 { (content.isCall ? 2 : 1) - (content.isQuiet ? 1 : 0) }

  private var hints: [(String, BusValue)] {
    var hints: [(String, BusValue)] = [
      ("urgency", .byte(urgency)), ("desktop-entry", .string(Self.plain(content.program))),
      // lulld plays the sound itself, where there is one.
      ("suppress-sound", .bool(true)),
    ]
    if content.isCall { hints.append(("category", .string(content.rings ? "call.incoming" : "call"))) }
    return hints
  }
}

extension Wording {
  /// The text without characters that steer a terminal or turn the direction of writing.
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
    // A mark makes one Character of itself and the sign beside it.
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
