/// The reason of an error, or what an entry, a note or a check adds: a word, and the facts that belong to it.
/// It travels as the text line of a message in a field, `message` or `detail`; `lull` has a sentence for it.
///
/// docs/PROTOCOL-WORDS.md lists the words, their facts and the sentences.
package struct Explanation: DescribedMessage {
  /// The longest text, so that the line that carries it has room for its other fields.
  private static let maximumText = 2048

  package var verb: Word
  /// A program, or what a client has named.
  package var name: String?
  package var programs: [String]?
  /// The number of a line, task, notification or session, a port or a signal.
  package var number: Int64?
  package var count: Int64?
  package var limit: Double?
  package var seconds: Double?
  package var pid: Int64?
  package var thread: Int64?
  package var bytes: Int64?
  package var bytesBefore: Int64?
  package var bytesAfter: Int64?
  /// What it is about: a path, an address, a line, a word of the protocol.
  package var text: String?
  /// The words of the kernel, or of another program.
  package var error: String?

  package init(
    _ word: Word, name: String? = nil, programs: [String]? = nil, number: (any BinaryInteger)? = nil,
    count: (any BinaryInteger)? = nil, limit: Double? = nil, seconds: Double? = nil,
    pid: (any BinaryInteger)? = nil, thread: (any BinaryInteger)? = nil, bytes: (any BinaryInteger)? = nil,
    bytesBefore: (any BinaryInteger)? = nil, bytesAfter: (any BinaryInteger)? = nil, text: String? = nil,
    error: String? = nil
  ) {
    func whole(_ number: (any BinaryInteger)?) -> Int64? { number.map { Int64(clamping: $0) } }
    (verb, self.name, self.programs, self.text, self.error) = (word, name, programs, text, error)
    (self.number, self.count, self.limit, self.seconds) = (whole(number), whole(count), limit, seconds)
    (self.pid, self.thread, self.bytes) = (whole(pid), whole(thread), whole(bytes))
    (self.bytesBefore, self.bytesAfter) = (whole(bytesBefore), whole(bytesAfter))
  }

  /// Nil for a text that is no explanation, or one that only a newer version knows.
  package init?(_ text: String) {
    guard let message = try? Message.parse(text), let read = try? Self.parse(message) else { return nil }
    self = read
  }

  /// The word and the facts as a message without a line feed; the longest fact is shortened where it must.
  package var line: String {
    var bytes: [UInt8] = []
    message().encodeTruncating(into: &bytes, maximumLine: Self.maximumText)
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }

  package static func blank(_ verb: Word) -> Self { .init(verb) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    var read = self
    try fields.optional(.name, .text, value: &read.name)
    try fields.optional(.programs, .list, value: &read.programs)
    try fields.optional(.number, .integer, value: &read.number)
    try fields.optional(.count, .integer, value: &read.count)
    try fields.optional(.limit, .decimal, value: &read.limit)
    try fields.optional(.seconds, .decimal, value: &read.seconds)
    try fields.optional(.pid, .integer, value: &read.pid)
    try fields.optional(.thread, .integer, value: &read.thread)
    try fields.optional(.bytes, .integer, value: &read.bytes)
    try fields.optional(.residentBefore, .integer, value: &read.bytesBefore)
    try fields.optional(.residentAfter, .integer, value: &read.bytesAfter)
    try fields.optional(.text, .text, value: &read.text)
    try fields.optional(.error, .text, value: &read.error)
    return read
  }
}

extension Reply {
  package static func error(_ code: Code, _ explanation: Explanation) -> Reply {
    .error(code: code, message: explanation.line)
  }
}
