internal import CSystemd
package import LullSystem

/// A message that is read or written, valid as long as its handler runs. A failed append shows when the
/// message is sent; a read of another type than the message has is nil.
@safe package struct BusMessage {
  private let raw: OpaquePointer

  init(_ raw: OpaquePointer) { unsafe self.raw = unsafe raw }

  package var interface: String? {
    unsafe sd_bus_message_get_interface(raw).map { unsafe String(cString: $0) }
  }
  package var member: String? { unsafe sd_bus_message_get_member(raw).map { unsafe String(cString: $0) } }
  package var path: String? { unsafe sd_bus_message_get_path(raw).map { unsafe String(cString: $0) } }
  /// The unique name of the connection that sent it.
  package var sender: String? { unsafe sd_bus_message_get_sender(raw).map { unsafe String(cString: $0) } }
  package var isMethodCall: Bool { unsafe sd_bus_message_is_method_call(raw, nil, nil) > 0 }
}

/// Each read takes the next value of the message.
extension BusMessage {
  /// With the type `o` an object path.
  package func readString(_ type: Unicode.Scalar = "s") -> String? {
    var text: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_read_basic(raw, CChar(type), &text) > 0 else { return nil }
    return unsafe text.map { unsafe String(cString: $0) }
  }

  package func readInt64() -> Int64? { readBasic("x", 0) }

  package func readUInt32() -> UInt32? { readBasic("u", 0) }

  package func readBool() -> Bool? { readBasic("b", Int32(0)).map { $0 != 0 } }

  /// The caller owns this duplicate.
  package func readDescriptor() -> DescriptorBox? {
    readBasic("h", Int32(-1)).flatMap { try? DescriptorBox(Descriptor.duplicating($0)) }
  }

  private func readBasic<Value: BitwiseCopyable>(_ type: Unicode.Scalar, _ empty: Value) -> Value? {
    var value = empty
    return unsafe sd_bus_message_read_basic(raw, CChar(type), &value) > 0 ? value : nil
  }

  package func readStrings() -> [String]? { readList(of: "s") { readString() } }

  /// A string, boolean, double, integer, byte or two numbers in a variant. A value of another type is passed
  /// over.
  package func readVariant() -> BusValue? {
    var contents: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_peek_type(raw, nil, &contents) > 0, let contents = unsafe contents else {
      return nil
    }
    let type = unsafe String(cString: contents)
    guard ["s", "d", "b", "u", "x", "y", "(tt)"].contains(type) else {
      _ = unsafe sd_bus_message_skip(raw, "v")
      return nil
    }
    return within("v", contents: type) {
      switch type {
      case "s": return readString().map(BusValue.string)
      case "b": return readBool().map(BusValue.bool)
      case "u": return readUInt32().map(BusValue.uint32)
      case "x": return readInt64().map(BusValue.int64)
      case "y": return readBasic("y", 0).map(BusValue.byte)
      case "(tt)":
        return within("r", contents: "tt") {
          readBasic("t", 0).flatMap { one in readBasic("t", 0).map { .numbers(one, $0) } }
        }
      default: return readBasic("d", 0).map(BusValue.double)
      }
    }
  }

  /// a{sv}: the keys, with the values of those types that `readVariant` knows.
  package func readDictionary() -> [(key: String, value: BusValue?)]? {
    readList(of: "{sv}") {
      within("e", contents: "sv") { readString().map { (key: $0, value: readVariant()) } }
    }
  }

  package func readList<Element>(of contents: String, _ element: () -> Element?) -> [Element]? {
    within("a", contents: contents) {
      var list: [Element] = []
      while unsafe sd_bus_message_at_end(raw, 0) == 0, let next = element() { list.append(next) }
      return list
    }
  }

  package func within<Value>(
    _ type: Unicode.Scalar, contents: String, _ body: () -> Value?
  ) -> Value? {
    guard unsafe sd_bus_message_enter_container(raw, CChar(type), contents) > 0 else { return nil }
    let value = body()
    _ = unsafe sd_bus_message_exit_container(raw)
    return value
  }
}

extension CChar {
  fileprivate init(_ scalar: Unicode.Scalar) { self = CChar(truncatingIfNeeded: scalar.value) }
}

extension BusMessage {
  func append(_ value: BusValue) {
    switch value {
    case .string(let text): _ = unsafe sd_bus_message_append_basic(raw, CChar("s"), text)
    case .objectPath(let path): _ = unsafe sd_bus_message_append_basic(raw, CChar("o"), path)
    case .bool(let flag): appendBasic("b", Int32(flag ? 1 : 0))
    case .byte(let number): appendBasic("y", number)
    case .int32(let number): appendBasic("i", number)
    case .uint32(let number): appendBasic("u", number)
    case .int64(let number): appendBasic("x", number)
    case .double(let number): appendBasic("d", number)
    case .numbers(let one, let other):
      appending("r", contents: "tt") {
        appendBasic("t", one)
        appendBasic("t", other)
      }
    case .strings(let texts):
      appending("a", contents: "s") { for text in texts { append(.string(text)) } }
    case .dictionary(let entries):
      appending("a", contents: "{sv}") {
        for entry in entries {
          appending("e", contents: "sv") {
            append(.string(entry.key))
            append(.variant(entry.value))
          }
        }
      }
    case .variant(let value): appending("v", contents: value.signature) { append(value) }
    }
  }

  private func appending(_ type: Unicode.Scalar, contents: String, _ body: () -> Void) {
    guard unsafe sd_bus_message_open_container(raw, CChar(type), contents) >= 0 else { return }
    body()
    _ = unsafe sd_bus_message_close_container(raw)
  }

  private func appendBasic<Value: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: Value) {
    _ = unsafe withUnsafePointer(to: value) { unsafe sd_bus_message_append_basic(raw, CChar(type), $0) }
  }
}
