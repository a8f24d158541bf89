package indirect enum BusValue {
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
  case dictionary([(String, BusValue)])
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

extension BusValue: Equatable {
  package static func == (one: BusValue, other: BusValue) -> Bool {
    switch (one, other) {
    case (.string(let a), .string(let b)), (.objectPath(let a), .objectPath(let b)): a == b
    case (.bool(let a), .bool(let b)): a == b
    case (.byte(let a), .byte(let b)): a == b
    case (.int32(let a), .int32(let b)): a == b
    case (.uint32(let a), .uint32(let b)): a == b
    case (.int64(let a), .int64(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.numbers(let a, let b), .numbers(let c, let d)): a == c && b == d
    case (.strings(let a), .strings(let b)): a == b
    case (.variant(let a), .variant(let b)): a == b
    case (.dictionary(let a), .dictionary(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.0 == $1.0 && $0.1 == $1.1 }
    default: false
    }
  }
}
