// What swift-argument-parser takes from Foundation, for the programs as they are shipped: the JSON of its
// dump of the help. The real module brings 5 MB to each program, which would use nothing else of it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public protocol LocalizedError: Error { var errorDescription: String? { get } }

public struct Data { fileprivate let text: String }

extension String {
  public enum Encoding { case utf8 }

  public init?(data: Data, encoding: Encoding) { self = data.text }
}

/// Its output is neither pretty nor sorted: programs read it.
public final class JSONEncoder {
  public struct OutputFormatting: OptionSet, Sendable {
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    public static let sortedKeys = OutputFormatting(rawValue: 2)
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }
  }

  public var outputFormatting: OutputFormatting = []

  public init() {}

  public func encode<T: Encodable>(_ value: T) throws -> Data { Data(text: try Node(value).text) }
}

private final class Node {
  private var scalar = "null"
  private var isObject = false
  var children: [(key: String, node: Node)]?

  init() {}
  init<T: Encodable>(_ value: T) throws { try write(value) }

  var text: String {
    guard let children else { return scalar }
    let parts = children.map { (isObject ? Self.quoted($0.key) + ":" : "") + $0.node.text }
    return (isObject ? "{" : "[") + parts.joined(separator: ",") + (isObject ? "}" : "]")
  }

  func open(isObject: Bool) -> Node {
    (self.isObject, children) = (isObject, children ?? [])
    return self
  }

  /// The next element or member; before the node is opened, the node itself.
  func next(_ key: String = "") -> Node {
    guard children != nil else { return self }
    let node = Node()
    children?.append((key, node))
    return node
  }

  func write<T: Encodable>(_ value: T) throws {
    switch value {
    case let string as String: scalar = Self.quoted(string)
    case is Bool, is any Numeric: scalar = "\(value)"
    default: try value.encode(to: Writer(node: self))
    }
  }

  private static func quoted(_ string: String) -> String {
    let escaped = string.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case ..<" ": "\\u00\(scalar.value < 16 ? "0" : "")\(String(scalar.value, radix: 16))"
      default: String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }
}

private struct Writer: Encoder, SingleValueEncodingContainer, UnkeyedEncodingContainer {
  let node: Node
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  var count: Int { node.children?.count ?? 0 }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Members(node: node.open(isObject: true)))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { Writer(node: node.open(isObject: false)) }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  func encodeNil() { _ = node.next() }
  func encode<T: Encodable>(_ value: T) throws { try node.next().write(value) }
  func superEncoder() -> any Encoder { Writer(node: node.next()) }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superEncoder().unkeyedContainer() }
  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    superEncoder().container(keyedBy: type)
  }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: Node
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { _ = node.next(key.stringValue) }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    try node.next(key.stringValue).write(value)
  }
  func superEncoder() -> any Encoder { Writer(node: node.next("super")) }
  func superEncoder(forKey key: Key) -> any Encoder { Writer(node: node.next(key.stringValue)) }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    superEncoder(forKey: key).unkeyedContainer()
  }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { superEncoder(forKey: key).container(keyedBy: type) }
}
