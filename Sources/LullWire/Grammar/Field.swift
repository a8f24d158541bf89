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

  package init(_ key: Key, _ value: String) {
    self.key = key.rawValue
    self.value = value
  }

  package init(flag key: Key) {
    self.key = key.rawValue
    self.value = nil
  }

  package var text: String { value ?? "true" }

  init(parsedKey: String, value: String?) {
    self.key = parsedKey
    self.value = value
  }
}
