import Fuzzing

@testable import LullWire

/// A stream of bytes, whose first byte says what is done with the rest. In pieces the stream gives the same
/// text lines as whole, and every accepted message is read back as it was.
func fuzzWire(_ bytes: [UInt8]) throws(Flaw) {
  var source = ByteSource(bytes)
  let first = source.byte()
  let (part, piece) = (first >> 6, 1 + Int(first & 63))
  let stream = source.rest()
  if part == 3 { return try fuzzText(stream, piece: piece) }
  let lines = split(stream, piece: stream.count)
  if part == 2 {
    try hold(split(stream, piece: piece) == lines, "pieces of \(piece) bytes give other lines")
    try countDescriptors(stream, piece: piece)
  }
  for case .message(let message) in lines.map(\.content) {
    if part == 1 { try fuzzFields(message) } else { try fuzzMessage(message) }
  }
}

private func split(_ stream: ArraySlice<UInt8>, piece: Int) -> [LineReader.Line] {
  var reader = LineReader()
  var lines: [LineReader.Line] = []
  var rest = stream
  while !rest.isEmpty {
    reader.append(rest.prefix(piece))
    rest = rest.dropFirst(piece)
    while let line = reader.next() { lines.append(line) }
  }
  return lines
}

/// Each descriptor belongs to one text line.
private func countDescriptors(_ stream: ArraySlice<UInt8>, piece: Int) throws(Flaw) {
  var reader = LineReader()
  var (sent, found, isClosed) = (0, 0, false)
  let parts: [ArraySlice<UInt8>] = [stream.prefix(piece), stream.dropFirst(piece), [Grammar.lineFeed]]
  for part in parts where !part.isEmpty {
    if !isClosed { sent += part.count % 3 }
    reader.append(part, descriptors: part.count % 3)
    while let line = reader.next() {
      found += line.descriptors
      if line.content == .tooLong { isClosed = true }
    }
  }
  try hold(sent == found, "\(sent) descriptors came and \(found) belong to lines")
}

private func fuzzText(_ stream: ArraySlice<UInt8>, piece: Int) throws(Flaw) {
  let whole = splitText(stream, piece: stream.count)
  try hold(splitText(stream, piece: piece) == whole, "pieces of \(piece) bytes give other text lines")
  for case .line(let bytes) in whole {
    let line = PeerLine(bytes)
    try hold(PeerLine(line.bytes[...]) == line, "\(line) is read back as another line")
  }
}

private func splitText(_ stream: ArraySlice<UInt8>, piece: Int) -> [TextLineSplitter.Line] {
  var splitter = TextLineSplitter(maximumLine: 256)
  var lines: [TextLineSplitter.Line] = []
  var rest = stream
  while !rest.isEmpty {
    splitter.append(rest.prefix(piece))
    rest = rest.dropFirst(piece)
    while let line = splitter.next() { lines.append(line) }
  }
  if let line = splitter.finish() { lines.append(line) }
  return lines
}
