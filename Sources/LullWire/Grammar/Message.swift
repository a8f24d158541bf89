/// One text line of the control protocol: a verb, then fields.
package struct Message: Equatable, Sendable {
  package let verb: String
  /// The word after `event`: the notice's name. Nil for every other verb.
  package let noticeName: String?
  /// No key stands twice.
  package private(set) var fields: [Field]

  /// The verb must be a word of the grammar (`[a-z][a-z0-9-]*`, at most 32 bytes), and not `event`.
  package init(_ verb: String, _ fields: Field...) {
    precondition(Grammar.isVerb(verb) && verb != AnswerVerb.event.rawValue, "not a verb: \(verb)")
    self.init(verb: verb, noticeName: nil, fields: [])
    for field in fields { append(field) }
  }

  /// Not for `event`: a notice has ``init(event:)``.
  package init(_ answer: AnswerVerb) {
    precondition(answer != .event, "a notice has a name")
    self.init(verb: answer.rawValue, noticeName: nil, fields: [])
  }

  package init(item kind: ItemKind) {
    self.init(
      verb: AnswerVerb.item.rawValue, noticeName: nil, fields: [Field(.kind, kind.rawValue)])
  }

  package init(event notice: Notice) {
    self.init(verb: AnswerVerb.event.rawValue, noticeName: notice.rawValue, fields: [])
  }

  init(verb: String, noticeName: String?, fields: [Field]) {
    self.verb = verb
    self.noticeName = noticeName
    self.fields = fields
  }

  package var answer: AnswerVerb? { AnswerVerb(rawValue: verb) }

  /// Nil also for a notice that this version does not know.
  package var notice: Notice? { noticeName.flatMap(Notice.init(rawValue:)) }

  /// Nil also for an item of a kind that this version does not know.
  package var itemKind: ItemKind? {
    guard answer == .item else { return nil }
    return self[.kind].flatMap(ItemKind.init(rawValue:))
  }

  /// A key that is there already gets the new value. More than ``Limits/maximumFields`` fields are the
  /// caller's error and trap.
  package mutating func append(_ field: Field) {
    if let index = fields.firstIndex(where: { $0.key == field.key }) {
      fields[index] = field
    } else {
      precondition(fields.count < Limits.maximumFields, "too many fields")
      fields.append(field)
    }
  }

  package func adding(_ field: Field) -> Message {
    var message = self
    message.append(field)
    return message
  }

  /// The value of a field, `true` for a flag, nil when it is not there.
  package subscript(key: Key) -> String? { self[key.rawValue] }

  package subscript(key: String) -> String? {
    fields.first(where: { $0.key == key })?.text
  }
}

/// One field of a message: `key=value`, or `key` alone, which is a flag.
package struct Field: Equatable, Sendable {
  package let key: String
  /// The value without quotes and escapes; nil for a flag.
  package let value: String?

  /// The key must be a word of the grammar (`[A-Za-z][A-Za-z0-9-]*`, at most 32 bytes).
  package init(_ key: String, _ value: String?) {
    precondition(Grammar.isKey(key), "not a key: \(key)")
    self.key = key
    self.value = value
  }

  package init(_ key: Key, _ value: String?) {
    self.key = key.rawValue
    self.value = value
  }

  package var text: String { value ?? "true" }

  init(parsedKey: String, value: String?) {
    self.key = parsedKey
    self.value = value
  }
}
