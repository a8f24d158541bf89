/// The last output of a program with a terminal, as it is shown to one who joins.
///
/// Escape sequences are left out: some of them ask the terminal something, and its answer would reach the
/// program as if it had been typed, and wake it.
enum PlainText {
  private enum Place {
    case text
    /// After ESC.
    case escape
    /// In a sequence of ESC `[`, until its last byte.
    case control
    /// In a text for the terminal, until BEL or ESC.
    case string
  }

  static func text(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var (place, kept): (Place, [UInt8]) = (.text, [])
    for byte in bytes {
      switch (place, byte) {
      case (.string, 0x07): place = .text
      case (_, 0x1B): place = .escape
      case (.escape, UInt8(ascii: "[")): place = .control
      case (.escape, UInt8(ascii: "]")), (.escape, UInt8(ascii: "P")), (.escape, UInt8(ascii: "_")),
        (.escape, UInt8(ascii: "^")), (.escape, UInt8(ascii: "X")):
        place = .string
      case (.escape, 0x20...0x2F): break
      case (.escape, _): place = .text
      case (.control, 0x40...0x7E): place = .text
      case (.control, _), (.string, _): break
      case (.text, 0x08...0x0D), (.text, 0x20...0x7E), (.text, 0x80...): kept.append(byte)
      case (.text, _): break
      }
    }
    return kept
  }
}
