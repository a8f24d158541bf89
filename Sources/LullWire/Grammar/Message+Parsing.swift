extension Message {
  /// Reads one text line, with or without its LF or CR LF.
  ///
  /// Throws `notUTF8`, `tooLong` or `malformed`; the grammar is in docs/PROTOCOL.md.
  package static func parse(
    _ line: Span<UInt8>, maximumLine: Int = Limits.maximumLine
  ) throws(WireError) -> Message {
    var end = line.count
    if end > 0, line[end - 1] == Grammar.lineFeed { end -= 1 }
    guard end < maximumLine else { throw .tooLong }
    if end > 0, line[end - 1] == Grammar.carriageReturn { end -= 1 }
    let content = line.extracting(0..<end)
    guard (try? UTF8Span(validating: content)) != nil else { throw .notUTF8 }
    var parser = MessageParser()
    return try parser.message(content)
  }

  package static func parse(_ line: ArraySlice<UInt8>) throws(WireError) -> Message {
    try parse(line.span)
  }

  package static func parse(_ line: String) throws(WireError) -> Message {
    try parse(Array(line.utf8)[...])
  }
}
