/// Cuts bytes into text lines, whatever the pieces that they come in.
struct LineSplitter {
  private var rest: [UInt8] = []

  /// Takes bytes; returns the lines that are whole now, without their ends.
  mutating func append(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
    rest += bytes
    var lines: [[UInt8]] = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(Array(rest[..<end]))
      rest.removeFirst(end + 1)
    }
    return lines
  }
}
