import LullProgram
import LullWire

/// An item as JSON: its fields under the keys of the protocol, or other names. A field that is missing is
/// `null`, or the value that it stands for.
protocol JSONItem: DescribedItem, Encodable {
  static var names: [Key: String] { get }
  /// The fields that stand elsewhere in the document.
  static var leftOut: Set<Key> { get }
  /// True for items of which there may be thousands: a missing field is left out.
  static var isShort: Bool { get }
}

extension JSONItem {
  static var names: [Key: String] { [:] }
  static var leftOut: Set<Key> { [.program] }
  static var isShort: Bool { false }

  func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }

  func encodeFields(to encoder: any Encoder) throws {
    var fields = FieldEncoder(container: encoder.container(keyedBy: JSONName.self), item: Self.self)
    _ = try visited(by: &fields)
    if let failure = fields.failure { throw failure }
  }
}

extension Encoder {
  /// Adds members to an object; nil is `null`.
  func add(_ members: KeyValuePairs<String, (any Encodable)?>) throws {
    var object = container(keyedBy: JSONName.self)
    for (name, value) in members {
      let key = JSONName(stringValue: name)
      if let value { try object.encode(value, forKey: key) } else { try object.encodeNil(forKey: key) }
    }
  }
}

/// An object in a document; nil is `null`.
struct JSONObject: Encodable {
  private let members: KeyValuePairs<String, (any Encodable)?>

  init(_ members: KeyValuePairs<String, (any Encodable)?>) { self.members = members }

  func encode(to encoder: any Encoder) throws { try encoder.add(members) }
}

struct JSONName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

private struct FieldEncoder<Item: JSONItem>: FieldVisitor {
  var container: KeyedEncodingContainer<JSONName>
  let item: Item.Type
  private(set) var failure: (any Error)?

  init(container: KeyedEncodingContainer<JSONName>, item: Item.Type) {
    (self.container, self.item) = (container, item)
  }

  mutating func needed<Value>(_ key: Key, _ type: FieldType<Value>, value: Value) -> Value {
    optional(key, type, value: value) ?? value
  }

  mutating func optional<Value>(_ key: Key, _ type: FieldType<Value>, value: Value?) -> Value? {
    let name = JSONName(stringValue: Item.names[key] ?? key.rawValue)
    guard !Item.leftOut.contains(key) else { return value }
    do {
      if let written = value ?? type.usual {
        // What JSON has no value for is its text in the protocol.
        let text = type.write(Message(.ok), key, written)[key] ?? ""
        let encodable: any Encodable = written as? any Encodable ?? text
        try container.encode(encodable, forKey: name)
      } else if !Item.isShort {
        try container.encodeNil(forKey: name)
      }
    } catch {
      failure = error
    }
    return value
  }
}

extension ProgramItem: JSONItem {
  static let names = [Key.silence: "silenceSeconds"]
  static let leftOut: Set<Key> = [
    .processorSeconds, .wakeProcessorSeconds, .resident, .residentBefore, .residentAfter, .noCompact,
  ]
}

extension LeaseItem: JSONItem {
  static let names = [Key.lease: "kind"]
}

extension LineItem: JSONItem {
  static let names = [Key.line: "kind"]
  static let leftOut: Set<Key> = []
  static let isShort = true
}

extension SessionItem: JSONItem {
  static let names = [Key.session: "id", .output: "wantedDevice"]
}

extension DaemonItem: JSONItem {
  static let names = [Key.cgroup: "cgroupRoot", .watchdog: "watchdogSeconds"]
}

extension DeviceItem: JSONItem {
  static let names = [Key.device: "name"]
}

extension InstalledItem: JSONItem {
  static let names = [Key.cause: "reason"]
  static let leftOut: Set<Key> = [.state, .detail, .waiting, .starters, .schemes]
}

extension EntryItem: JSONItem {
  static let leftOut: Set<Key> = []
}

extension NotificationItem: JSONItem {
  static let names = [Key.notification: "id"]
  static let leftOut: Set<Key> = [.repeat]
}

extension KeepAliveItem: JSONItem {}
extension TimerItem: JSONItem {}
extension WakeItem: JSONItem {}
extension PurgeItem: JSONItem {}

extension TallyItem: JSONItem {
  static let leftOut: Set<Key> = [.program, .what]
}

extension EndedItem: JSONItem {}

/// Values as JSON, with sorted keys, so that two outputs can be compared.
enum JSONOutput {
  enum Layout {
    case document
    case line
  }

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
