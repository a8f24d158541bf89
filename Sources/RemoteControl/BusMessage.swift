internal import CSystemd

/// A value of D-Bus, of the types that MPRIS needs.
indirect enum BusValue: Equatable {
  case string(String)
  case objectPath(String)
  case bool(Bool)
  case int32(Int32)
  case int64(Int64)
  case double(Double)
  case strings([String])
  /// a{sv}, in this order.
  case dictionary([(String, BusValue)])
  case variant(BusValue)

  /// The signature (D-Bus Specification, "Type System").
  var signature: String {
    switch self {
    case .string: "s"
    case .objectPath: "o"
    case .bool: "b"
    case .int32: "i"
    case .int64: "x"
    case .double: "d"
    case .strings: "as"
    case .dictionary: "a{sv}"
    case .variant: "v"
    }
  }

  static func == (one: BusValue, other: BusValue) -> Bool {
    switch (one, other) {
    case (.string(let a), .string(let b)), (.objectPath(let a), .objectPath(let b)): a == b
    case (.bool(let a), .bool(let b)): a == b
    case (.int32(let a), .int32(let b)): a == b
    case (.int64(let a), .int64(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.strings(let a), .strings(let b)): a == b
    case (.variant(let a), .variant(let b)): a == b
    case (.dictionary(let a), .dictionary(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.0 == $1.0 && $0.1 == $1.1 }
    default: false
    }
  }
}

/// A message that is read or written. A failed append shows when the message is sent; a read of another type
/// than the message has is nil.
@safe struct BusMessage {
  private let raw: OpaquePointer

  init(_ raw: OpaquePointer) {
    unsafe self.raw = unsafe raw
  }

  var interface: String? { unsafe sd_bus_message_get_interface(raw).map { unsafe String(cString: $0) } }
  var member: String? { unsafe sd_bus_message_get_member(raw).map { unsafe String(cString: $0) } }
  var isMethodCall: Bool { unsafe sd_bus_message_is_method_call(raw, nil, nil) > 0 }
}

// Reading.
extension BusMessage {
  func readString(_ type: Unicode.Scalar = "s") -> String? {
    var text: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_read_basic(raw, CChar(type), &text) > 0 else { return nil }
    return unsafe text.map { unsafe String(cString: $0) }
  }

  func readInt64() -> Int64? {
    var value: Int64 = 0
    return unsafe sd_bus_message_read_basic(raw, CChar("x"), &value) > 0 ? value : nil
  }

  /// Reads a variant of one of these types: string, boolean or double.
  func readVariant() -> BusValue? {
    var contents: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_peek_type(raw, nil, &contents) > 0, let contents = unsafe contents,
      unsafe sd_bus_message_enter_container(raw, CChar("v"), contents) > 0
    else { return nil }
    switch unsafe String(cString: contents) {
    case "s": return readString().map(BusValue.string)
    case "d":
      var value = 0.0
      return unsafe sd_bus_message_read_basic(raw, CChar("d"), &value) > 0 ? .double(value) : nil
    case "b":
      var value: Int32 = 0
      return unsafe sd_bus_message_read_basic(raw, CChar("b"), &value) > 0 ? .bool(value != 0) : nil
    default: return nil
    }
  }
}

// Writing.
extension BusMessage {
  func append(_ value: BusValue) {
    switch value {
    case .string(let text): unsafe text.withCString { unsafe appendBasic("s", $0) }
    case .objectPath(let path): unsafe path.withCString { unsafe appendBasic("o", $0) }
    case .bool(let flag): unsafe withUnsafePointer(to: Int32(flag ? 1 : 0)) { unsafe appendBasic("b", $0) }
    case .int32(let number): unsafe withUnsafePointer(to: number) { unsafe appendBasic("i", $0) }
    case .int64(let number): unsafe withUnsafePointer(to: number) { unsafe appendBasic("x", $0) }
    case .double(let number): unsafe withUnsafePointer(to: number) { unsafe appendBasic("d", $0) }
    case .strings(let texts):
      within("a", contents: "s") { for text in texts { append(.string(text)) } }
    case .dictionary(let entries):
      within("a", contents: "{sv}") {
        for (key, value) in entries {
          within("e", contents: "sv") {
            append(.string(key))
            append(.variant(value))
          }
        }
      }
    case .variant(let value): within("v", contents: value.signature) { append(value) }
    }
  }

  private func within(_ type: Unicode.Scalar, contents: String, _ body: () -> Void) {
    guard unsafe sd_bus_message_open_container(raw, CChar(type), contents) >= 0 else { return }
    body()
    _ = unsafe sd_bus_message_close_container(raw)
  }

  private func appendBasic(_ type: Unicode.Scalar, _ value: UnsafeRawPointer) {
    _ = unsafe sd_bus_message_append_basic(raw, CChar(type), value)
  }
}

extension CChar {
  fileprivate init(_ scalar: Unicode.Scalar) {
    self = CChar(truncatingIfNeeded: scalar.value)
  }
}
