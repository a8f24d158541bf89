import Fuzzing

@testable import LullWire

/// A message that was accepted: encoded and read again it is the same, and so is the request in it.
func fuzzMessage(_ message: Message) throws(Flaw) {
  do throws(WireError) {
    let encoded = try message.encoded()
    let again = try Message.parse(encoded[...])
    guard again == message else { throw WireError.malformed(reason: "\(again)") }
    guard let request = try? Request.parse(message) else { return }
    let line = try request.message().encoded()
    let repeated = try Request.parse(Message.parse(line[...]))
    guard repeated == request else { throw WireError.malformed(reason: "\(repeated)") }
  } catch {
    throw Flaw("\(message) is not read back: \(error)")
  }
}

/// The messages of the guard and of lull-audio have no parser of their own: their fields are read one by one.
func fuzzFields(_ message: Message) throws(Flaw) {
  do throws(WireError) {
    for field in message.fields {
      if let key = Key(rawValue: field.key) { try readEverything(message, key) }
    }
    _ = (Request.Run.parse(message), Request.Session.parse(message))
    _ = (message.answer, message.notice, message.itemKind, try? message.programName())
    // What is too long is cut, and can be read.
    var long: [UInt8] = []
    message.fields.prefix(4).reduce(message) { message, field in
      message.adding(
        Field(parsedKey: field.key, value: String(repeating: field.value ?? "é\\\"", count: 40)))
    }.encodeTruncating(into: &long)
    _ = try Message.parse(long[...])
  } catch {
    throw Flaw("\(message) is not read back: \(error)")
  }
}

private func readEverything(_ message: Message, _ key: Key) throws(WireError) {
  if let nanoseconds = try? message.nanoseconds(ifPresent: key) {
    let written = try Message.parse(Message("x").adding(key, nanoseconds: nanoseconds).encoded()[...])
    guard try written.nanoseconds(key) == nanoseconds else { throw .malformed(reason: "\(nanoseconds) ns") }
  }
  if let number = try? message.unsigned(ifPresent: key) {
    let written = try Message.parse(Message("x").adding(key, number).encoded()[...])
    guard try written.unsigned(key) == number else { throw .malformed(reason: "\(number)") }
  }
  _ = (try? message.integer(key, in: -5...5), try? message.number(key), try? message.flag(key))
  _ = (try? message.list(key), try? message.ports(ifPresent: key), try? message.string(key))
  _ = try? message.words(key, as: Request.Mode.self)
  _ = try? message.word(key, as: Request.LineType.self)
}

extension Request.Run {
  fileprivate static func parse(_ message: Message) -> Request.Run? { try? Request.Run(message) }
}

extension Request.Session {
  fileprivate static func parse(_ message: Message) -> Request.Session? { try? Request.Session(message) }
}
