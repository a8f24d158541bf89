package indirect enum BusValue: Equatable {
  case string(String)
  case objectPath(String)
  case bool(Bool)
  case byte(UInt8)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case double(Double)
  /// Two numbers in a struct, as a time in seconds and microseconds.
  case numbers(UInt64, UInt64)
  case strings([String])
  /// a{sv}, in this order.
  case dictionary([BusEntry])
  case variant(BusValue)

  /// D-Bus Specification, "Type System".
  var signature: String {
    switch self {
    case .string: "s"
    case .objectPath: "o"
    case .bool: "b"
    case .byte: "y"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .double: "d"
    case .numbers: "(tt)"
    case .strings: "as"
    case .dictionary: "a{sv}"
    case .variant: "v"
    }
  }
}

package struct BusEntry: Equatable {
  package let key: String
  package let value: BusValue

  package init(_ key: String, _ value: BusValue) { (self.key, self.value) = (key, value) }
}
