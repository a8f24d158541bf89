/// The output of a program with a terminal, as it is shown on another one that did not see it from its
/// beginning.
///
/// Escape sequences are left out: some of them ask the terminal something, and its answer would be read as if
/// it had been typed, by the program or by the shell. So is what was drawn on the terminal's other screen,
/// which an editor has.
struct PlainText {
  private enum Place {
    case text
    /// After ESC.
    case escape
    /// In a sequence of ESC `[`, until its last byte.
    case control
    /// In a text for the terminal, until BEL or ESC.
    case string
  }

  /// The bytes of a sequence between ESC `[` and its last one that are looked at.
  private static let longest = 64
  private static let otherScreens: [Substring] = ["47", "1047", "1049"]

  /// True when colours stay, and the clearing of the rest of a line: no terminal answers those.
  private let keepsColours: Bool
  private var place = Place.text
  private var parameters: [UInt8] = []
  private var isOtherScreen = false

  init(keepsColours: Bool) { self.keepsColours = keepsColours }

  /// The text alone.
  static func text(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var plain = PlainText(keepsColours: false)
    return plain.text(of: bytes)
  }

  /// What is shown of the next bytes.
  mutating func text(of bytes: some Sequence<UInt8>) -> [UInt8] {
    var kept: [UInt8] = []
    for byte in bytes {
      switch (place, byte) {
      case (.string, 0x07): place = .text
      case (_, 0x1B): place = .escape
      case (.escape, UInt8(ascii: "[")): (place, parameters) = (.control, [])
      case (.escape, UInt8(ascii: "]")), (.escape, UInt8(ascii: "P")), (.escape, UInt8(ascii: "_")),
        (.escape, UInt8(ascii: "^")), (.escape, UInt8(ascii: "X")):
        place = .string
      case (.escape, 0x20...0x2F): break
      case (.escape, _): place = .text
      case (.control, 0x40...0x7E):
        place = .text
        end(with: byte, &kept)
      case (.control, _): if parameters.count < Self.longest { parameters.append(byte) }
      case (.string, _): break
      case (.text, 0x08...0x0D), (.text, 0x20...0x7E), (.text, 0x80...):
        if !isOtherScreen { kept.append(byte) }
      case (.text, _): break
      }
    }
    return kept
  }

  /// A sequence of ESC `[` has ended.
  private mutating func end(with last: UInt8, _ kept: inout [UInt8]) {
    switch last {
    case UInt8(ascii: "h"), UInt8(ascii: "l"):
      let text = String(decoding: parameters, as: UTF8.self)
      guard text.hasPrefix("?"),
        text.dropFirst().split(separator: ";").contains(where: { Self.otherScreens.contains($0) })
      else { return }
      let isBegun = last == UInt8(ascii: "h")
      // Its beginning is older than what is shown.
      if !isBegun, !isOtherScreen { kept = [] }
      isOtherScreen = isBegun
    case UInt8(ascii: "m"), UInt8(ascii: "K"):
      guard keepsColours, !isOtherScreen, parameters.count < Self.longest,
        parameters.allSatisfy({ (0x30...0x3B).contains($0) })
      else { return }
      kept += [0x1B, UInt8(ascii: "[")] + parameters + [last]
    default: break
    }
  }
}
