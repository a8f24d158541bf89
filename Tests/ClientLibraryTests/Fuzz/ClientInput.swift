import CClientProbe
import Fuzzing

@testable import LullWire

/// Bytes for liblull, whose first one says what they are: lines, which are read as LullWire reads them; what
/// lulld says to a program; what the start of a program is told of its kept lines.
func fuzzClient(_ bytes: [UInt8]) throws(Flaw) {
  guard let first = bytes.first else { return }
  let rest = Array(bytes.dropFirst())
  switch first % 4 {
  case 0, 1:
    for line in rest.split(separator: Grammar.lineFeed) where !isEmpty(line) { try compare(Array(line)) }
  case 2: _ = unsafe probe_client(rest, rest.count)
  default: _ = unsafe probe_restored(rest, rest.count)
  }
}

/// Both readers take a line, or refuse it.
private func compare(_ line: [UInt8]) throws(Flaw) {
  let text = String(decoding: line, as: UTF8.self)
  let message = line.count < Limits.maximumLine ? try? Message.parse(line[...]) : nil
  guard line.count < Limits.maximumLine else { return }
  try hold(readInC(line) == message.map(plain), "liblull reads another message in \(text.debugDescription)")
  for case let value? in message?.fields.map(\.value) ?? [] { try compareWritten(value) }
}

/// What liblull writes is read as it was; a C text has no NUL.
private func compareWritten(_ value: String) throws(Flaw) {
  guard !value.utf8.contains(0) else { return }
  var line = [UInt8](repeating: 0, count: Limits.maximumLine)
  let text = Array(value.utf8)
  let count = unsafe probe_write(text, text.count, &line, line.count)
  guard count >= 0 else { return }
  let message = try? Message.parse(line[..<count])
  let read = message?.fields.map(\.value)
  try hold(read == [value], "liblull writes \(value.debugDescription) as another text")
}

private func readInC(_ line: [UInt8]) -> [UInt8]? {
  var read = [UInt8](repeating: 0, count: 2 * line.count + 4)
  let count = unsafe probe_parse(line, line.count, &read, read.count)
  return count < 0 ? nil : Array(read[..<count])
}

/// What `probe_parse` writes of a message.
private func plain(_ message: Message) -> [UInt8] {
  var bytes = Array(message.verb.utf8) + [0xFF] + Array((message.noticeName ?? "").utf8) + [0xFF]
  for field in message.fields {
    bytes += Array(field.key.utf8) + [0xFF] + Array((field.value ?? "").utf8)
    bytes.append(field.value == nil ? 0xFE : 0xFF)
  }
  return bytes
}

/// A reader passes over an empty line before it is read.
private func isEmpty(_ line: ArraySlice<UInt8>) -> Bool { line.allSatisfy { $0 == Grammar.carriageReturn } }
