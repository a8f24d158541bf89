import Fuzzing

@testable import LullWire

/// An accepted message: encoded and read again it is the same, and so is what it says.
func fuzzMessage(_ message: Message) throws(Flaw) {
  do throws(WireError) {
    let encoded = try message.encoded()
    let again = try Message.parse(encoded[...])
    guard again == message else { throw WireError.malformed(reason: "\(again)") }
    try repeated(Request.self, message)
    try repeated(MessageToAudio.self, message)
    try repeated(MessageFromAudio.self, message)
    try repeated(MessageToNotify.self, message)
    try repeated(MessageFromNotify.self, message)
  } catch {
    throw Flaw("\(message) is not read back: \(error)")
  }
}

private func repeated<Described: DescribedMessage>(
  _ type: Described.Type, _ message: Message
) throws(WireError) {
  guard let described = try? Described.parse(message) else { return }
  let line = try described.message().encoded()
  let again = try Described.parse(Message.parse(line[...]))
  guard again == described else { throw .malformed(reason: "\(again)") }
}

/// The messages of the guard have no parser of their own: their fields are read one by one.
func fuzzFields(_ message: Message) throws(Flaw) {
  do throws(WireError) {
    for field in message.fields {
      if let key = Key(rawValue: field.key) { try readEverything(message, key) }
    }
    try readGroup(Request.Run.self, message)
    try readGroup(Request.Session.self, message)
    try readGroup(ProgramEntry.self, message)
    _ = (message.answer, message.notice, message.itemKind)
    // A message that is too long is cut, and can be read.
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
  if let interval = try? message.interval(ifPresent: key) {
    let written = try Message.parse(Message("x").adding(key, interval).encoded()[...])
    guard try written.interval(key) == interval else { throw .malformed(reason: "\(interval)") }
  }
  if let number = try? message.unsigned(key) {
    let written = try Message.parse(Message("x").adding(key, number).encoded()[...])
    guard try written.unsigned(key) == number else { throw .malformed(reason: "\(number)") }
  }
  _ = (try? message.integer(key, in: 0...5), try? message.number(key), try? FieldType.flag.read(message, key))
  _ = (try? FieldType<[String]>.list.read(message, key), try? FieldType<[UInt16]>.ports.read(message, key))
  _ = (try? FieldType<Modes>.words.read(message, key), try? FieldType<LinePurpose>.word.read(message, key))
  _ = try? message.string(key)
}

/// Fields that can be read are written so that they are read again.
private func readGroup<Group: FieldGroup & Equatable>(
  _ type: Group.Type, _ message: Message
) throws(WireError) {
  guard let group = try? Group(message) else { return }
  guard try Group(group.adding(to: Message("x"))) == group else { throw .malformed(reason: "\(group)") }
}
