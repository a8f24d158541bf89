internal import CSystemd
package import LullSystem

// Each read takes the next value of the message.
extension BusMessage {
  /// A string, or with the type `o` an object path.
  package func readString(_ type: Unicode.Scalar = "s") -> String? {
    var text: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_read_basic(raw, CChar(type), &text) > 0 else { return nil }
    return unsafe text.map { unsafe String(cString: $0) }
  }

  package func readInt64() -> Int64? {
    var value: Int64 = 0
    return unsafe sd_bus_message_read_basic(raw, CChar("x"), &value) > 0 ? value : nil
  }

  package func readUInt32() -> UInt32? {
    var value: UInt32 = 0
    return unsafe sd_bus_message_read_basic(raw, CChar("u"), &value) > 0 ? value : nil
  }

  package func readBool() -> Bool? {
    var value: Int32 = 0
    return unsafe sd_bus_message_read_basic(raw, CChar("b"), &value) > 0 ? value != 0 : nil
  }

  /// A duplicate of a descriptor, which the caller owns.
  package func readDescriptor() -> DescriptorBox? {
    var value: Int32 = -1
    guard unsafe sd_bus_message_read_basic(raw, CChar("h"), &value) > 0 else { return nil }
    return try? DescriptorBox(Descriptor.duplicating(value))
  }

  package func readStrings() -> [String]? {
    readList(of: "s") { readString() }
  }

  /// A variant of one of these types: string, boolean, double, unsigned, byte. One of another type is
  /// passed over.
  package func readVariant() -> BusValue? {
    var contents: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_peek_type(raw, nil, &contents) > 0, let contents = unsafe contents else {
      return nil
    }
    let type = unsafe String(cString: contents)
    guard ["s", "d", "b", "u", "y"].contains(type) else {
      _ = unsafe sd_bus_message_skip(raw, "v")
      return nil
    }
    return within("v", contents: type) {
      switch type {
      case "s": return readString().map(BusValue.string)
      case "b": return readBool().map(BusValue.bool)
      case "u": return readUInt32().map(BusValue.uint32)
      case "y":
        var value: UInt8 = 0
        return unsafe sd_bus_message_read_basic(raw, CChar("y"), &value) > 0 ? .byte(value) : nil
      default:
        var value = 0.0
        return unsafe sd_bus_message_read_basic(raw, CChar("d"), &value) > 0 ? .double(value) : nil
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
  init(_ scalar: Unicode.Scalar) {
    self = CChar(truncatingIfNeeded: scalar.value)
  }
}
