/// Readers of the lists of other players: M3U, M3U8 and PLS.
///
/// Names are taken byte for byte, in the list's own encoding: they are the names of files.
enum Playlist {
  /// The names in a list, in their order: one on each text line, or in PLS by their numbers.
  static func names(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let lines = lines(bytes)
    let head = lines.first.map { String(decoding: $0, as: UTF8.self).lowercased() }
    guard head == "[playlist]" else { return lines.filter { $0.first != UInt8(ascii: "#") } }
    var numbered: [(number: Int, name: ArraySlice<UInt8>)] = []
    for line in lines {
      guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let key = String(decoding: trimmed(line[..<sign]), as: UTF8.self).lowercased()
      guard key.hasPrefix("file"), let number = Int(key.dropFirst(4)) else { continue }
      numbered.append((number, trimmed(line[(sign + 1)...])))
    }
    return numbered.enumerated().sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }
      .map(\.element.name)
  }

  static func location(_ name: ArraySlice<UInt8>, folder: [UInt8]) -> Location {
    if name.first == UInt8(ascii: "/") { return .file(Array(name)) }
    let text = String(decoding: name, as: UTF8.self)
    if let url = Location(text: text) { return url }
    return .file(folder + [UInt8(ascii: "/")] + name)
  }

  /// The text lines that are not empty, without blanks at their ends and without the byte order mark.
  static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    return text.split { $0 == 0x0A || $0 == 0x0D }.map(trimmed).filter { !$0.isEmpty }
  }

  static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    let rest = line.drop(while: isBlank)
    return rest[..<((rest.lastIndex { !isBlank($0) } ?? rest.startIndex - 1) + 1)]
  }
}
