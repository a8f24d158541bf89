/// The output of a program with a terminal, as it is shown on another one that did not see it from its
/// beginning.
///
/// Escape sequences are left out: some of them ask the terminal something, and its answer would be read as if
/// it had been typed, by the program or by the shell. So is what was drawn on the terminal's other screen,
/// which an editor has.
struct PlainText {
  private enum Place {
    case text
    /// After C2, which begins the characters from U+0080 to U+00BF.
    case latin
    case escape
    /// In a sequence of ESC `[`, until its last byte.
    case control
    case string
  }

  /// The bytes of a sequence between ESC `[` and its last one that are looked at.
  private static let longest = 64
  private static let otherScreens: [Substring] = ["47", "1047", "1049"]
  private static let reset = Array("\u{1B}[0m".utf8)

  /// True when colours stay, and the clearing of the rest of a line: no terminal answers those.
  private let keepsColours: Bool
  private var place = Place.text
  private var following = 0
  private var parameters: [UInt8] = []
  private var isOtherScreen = false
  /// False while the bytes before the first ones may have begun the other screen.
  private var knowsScreen: Bool
  private var isColoured = false
  private var isInLine = false

  init(keepsColours: Bool, isWhole: Bool) { (self.keepsColours, knowsScreen) = (keepsColours, isWhole) }

  static func text(_ log: ArraySlice<UInt8>, isWhole: Bool = false) -> [UInt8] {
    var plain = PlainText(keepsColours: false, isWhole: isWhole)
    return plain.text(ofLog: log)
  }

  /// A life may have been killed on the other screen, or in the midst of a sequence: the next one begins
  /// anew.
  mutating func text(ofLog log: ArraySlice<UInt8>) -> [UInt8] {
    let parts = LifeMark.parts(of: log)
    var shown = text(of: parts[0])
    for life in parts.dropFirst() {
      // The LF that ended its last line may be hidden with the rest.
      shown += end() + (isInLine ? [UInt8(ascii: "\n")] : [])
      self = PlainText(keepsColours: keepsColours, isWhole: true)
      shown += text(of: life)
    }
    return shown
  }

  mutating func end() -> [UInt8] {
    defer { isColoured = false }
    return isColoured ? Self.reset : []
  }

  mutating func text(of bytes: ArraySlice<UInt8>) -> [UInt8] {
    var shown: [UInt8] = []
    for byte in bytes {
      defer { following = Self.following(byte, after: following) }
      if case .latin = place {
        place = .text
        // A control of a terminal with 8 bits.
        if (0x80...0x9F).contains(byte) { continue }
        if !isOtherScreen { shown.append(0xC2) }
      }
      switch (place, byte) {
      case (.string, 0x07): place = .text
      // One that never ends would hide all that follows.
      case (.string, 0x0A):
        place = .text
        if isInLine, !isOtherScreen { shown.append(byte) }
        isInLine = isInLine && isOtherScreen
      case (_, 0x1B): place = .escape
      case (.escape, UInt8(ascii: "[")): (place, parameters) = (.control, [])
      case (.escape, UInt8(ascii: "]")), (.escape, UInt8(ascii: "P")), (.escape, UInt8(ascii: "_")),
        (.escape, UInt8(ascii: "^")), (.escape, UInt8(ascii: "X")):
        place = .string
      case (.escape, 0x20...0x2F): break
      case (.escape, UInt8(ascii: "c")):
        (place, isOtherScreen, knowsScreen) = (.text, false, true)
        shown += end()
      case (.escape, _): place = .text
      case (.control, 0x40...0x7E):
        place = .text
        end(with: byte, &shown)
      case (.control, _): if parameters.count < Self.longest { parameters.append(byte) }
      case (.string, _): break
      case (.text, 0xC2): place = .latin
      case (.text, 0x80...0x9F) where following == 0: break
      case (.text, 0x08...0x0D), (.text, 0x20...0x7E), (.text, 0x80...):
        guard !isOtherScreen else { continue }
        shown.append(byte)
        isInLine = byte != UInt8(ascii: "\n")
      case (.text, _), (.latin, _): break
      }
    }
    knowsScreen = knowsScreen || !shown.isEmpty
    return shown
  }

  /// The bytes that a character wants behind this one (RFC 3629, section 3).
  private static func following(_ byte: UInt8, after left: Int) -> Int {
    switch byte {
    case 0x80...0xBF: max(0, left - 1)
    case 0xC3...0xDF: 1
    case 0xE0...0xEF: 2
    case 0xF0...0xF4: 3
    default: 0
    }
  }

  /// A sequence of ESC `[` has ended.
  private mutating func end(with last: UInt8, _ shown: inout [UInt8]) {
    switch last {
    case UInt8(ascii: "h"), UInt8(ascii: "l"):
      let text = String(decoding: parameters, as: UTF8.self)
      guard text.hasPrefix("?"),
        text.dropFirst().split(separator: ";").contains(where: { Self.otherScreens.contains($0) })
      else { return }
      let isBegun = last == UInt8(ascii: "h")
      // Its beginning may be older than what is shown.
      if !isBegun, !isOtherScreen, !knowsScreen { (shown, isInLine) = ([], false) }
      (isOtherScreen, knowsScreen) = (isBegun, true)
    case UInt8(ascii: "m"), UInt8(ascii: "K"):
      guard keepsColours, !isOtherScreen, parameters.count < Self.longest,
        parameters.allSatisfy({ (0x30...0x3B).contains($0) })
      else { return }
      shown += [0x1B, UInt8(ascii: "[")] + parameters + [last]
      if last == UInt8(ascii: "m") { isColoured = parameters.contains { $0 != UInt8(ascii: "0") } }
    default: break
    }
  }
}
