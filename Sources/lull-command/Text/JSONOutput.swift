import LullProgram

/// Values as JSON, with sorted keys, so that two outputs can be compared.
enum JSONOutput {
  enum Layout {
    /// Indented, for one document.
    case document
    /// One text line, for a stream of objects.
    case line
  }

  /// The text has a LF at its end.
  static func text(_ value: some Encodable, _ layout: Layout = .document) throws(Failure) -> String {
    do {
      let json = try JSON(encoding: value)
      return (layout == .document ? json.indentedText : json.text) + "\n"
    } catch {
      throw .failed("the answer cannot be written as JSON: \(error)")
    }
  }
}

/// An optional value that is written as `null` when it is absent; synthesized coding would omit its key.
@propertyWrapper
struct OrNull<Value: Encodable & Equatable>: Encodable, Equatable {
  var wrappedValue: Value?

  init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
  }
}
