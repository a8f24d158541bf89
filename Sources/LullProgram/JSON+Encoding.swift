extension JSON {
  /// The members of an object stand in the order of their keys, so that two outputs can be compared.
  ///
  /// - Throws: What `encode(to:)` of a part throws.
  package init(encoding value: some Encodable) throws {
    switch value {
    case let value as String: self = .string(value)
    case let value as Bool: self = .bool(value)
    case let value as Double: self = .number(value)
    case let value as any BinaryInteger: self = .integer(Int(clamping: value))
    default:
      let place = Place()
      try value.encode(to: TreeEncoder(place: place))
      self = place.value
    }
  }

  /// An encoded value is put together here.
  private final class Place {
    private enum Content {
      case value(JSON)
      case members([(String, Place)])
      case values([Place])
    }

    private var content = Content.value(.null)

    var value: JSON {
      switch content {
      case .value(let value): value
      case .members(let members): .object(members.sorted { $0.0 < $1.0 }.map { ($0.0, $0.1.value) })
      case .values(let values): .array(values.map(\.value))
      }
    }

    func set(_ value: JSON) { content = .value(value) }

    func beginObject() { if case .members = content {} else { content = .members([]) } }
    func beginArray() { if case .values = content {} else { content = .values([]) } }

    func member(_ key: String) -> Place {
      let place = Place()
      if case .members(let members) = content { content = .members(members + [(key, place)]) }
      return place
    }

    func element() -> Place {
      let place = Place()
      if case .values(let values) = content { content = .values(values + [place]) }
      return place
    }

    var count: Int { if case .values(let values) = content { values.count } else { 0 } }
  }

  private struct TreeEncoder: Encoder, SingleValueEncodingContainer {
    let place: Place
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
      place.beginObject()
      return KeyedEncodingContainer(Members<Key>(place: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
      place.beginArray()
      return Elements(place: place)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { place.set(.null) }
    func encode<T: Encodable>(_ value: T) throws { place.set(try JSON(encoding: value)) }
  }

  private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let place: Place
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { place.member(key.stringValue).set(.null) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      place.member(key.stringValue).set(try JSON(encoding: value))
    }

    func nestedContainer<Nested>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      TreeEncoder(place: place.member(key.stringValue)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      TreeEncoder(place: place.member(key.stringValue)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { TreeEncoder(place: place.member("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { TreeEncoder(place: place.member(key.stringValue)) }
  }

  private struct Elements: UnkeyedEncodingContainer {
    let place: Place
    var codingPath: [any CodingKey] { [] }
    var count: Int { place.count }

    func encodeNil() { place.element().set(.null) }
    func encode<T: Encodable>(_ value: T) throws { place.element().set(try JSON(encoding: value)) }

    func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      TreeEncoder(place: place.element()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      TreeEncoder(place: place.element()).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { TreeEncoder(place: place.element()) }
  }
}
