/// The names of programs: 1 to 64 bytes of `[A-Za-z0-9._-]`, starting with a letter or a digit.
package enum ProgramName {
  package static func isValid(_ text: String) -> Bool {
    guard let first = text.utf8.first, isFirst(first) else { return false }
    return text.utf8.count <= Limits.maximumName && text.utf8.allSatisfy(isOther)
  }

  /// The last part of the path names a program that has no other name, with `-` for bytes that a name cannot
  /// have; nil when nothing is left.
  package static func derived(fromPath path: String) -> String? {
    let last = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
    let name = last.map { isOther($0) ? $0 : UInt8(ascii: "-") }.drop { !isFirst($0) }
    guard !name.isEmpty else { return nil }
    return String(decoding: name.prefix(Limits.maximumName), as: UTF8.self)
  }

  package static let expected =
    "a name of 1 to \(Limits.maximumName) letters, digits, '.', '_' or '-' that starts with a letter or digit"

  private static func isFirst(_ byte: UInt8) -> Bool {
    Grammar.isLetter(byte) || Grammar.isDigit(byte)
  }

  private static func isOther(_ byte: UInt8) -> Bool {
    isFirst(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }
}
