/// The order in which people sort names: numbers by their value, letters without regard to case.
enum NaturalOrder {
  static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let (a, b) = (parts(one), parts(other))
    for (left, right) in zip(a, b) where left != right { return left < right }
    // Names that differ in nothing but case or zeros have an order all the same.
    return a.count != b.count ? a.count < b.count : one.lexicographicallyPrecedes(other)
  }

  private enum Part: Comparable {
    /// The digits without leading zeros: the longer number is the larger.
    case number(length: Int, digits: [UInt8])
    case byte(UInt8)

    static func < (one: Part, other: Part) -> Bool {
      switch (one, other) {
      case (.number(let a, let x), .number(let b, let y)):
        a != b ? a < b : x.lexicographicallyPrecedes(y)
      case (.byte(let a), .byte(let b)): a < b
      case (.number, .byte(let b)): UInt8(ascii: "0") < b
      case (.byte(let a), .number): a < UInt8(ascii: "0")
      }
    }
  }

  private static func parts(_ name: [UInt8]) -> [Part] {
    var parts: [Part] = []
    var rest = name[...]
    while let byte = rest.first {
      let digits = rest.prefix { 0x30...0x39 ~= $0 }
      if digits.isEmpty {
        parts.append(.byte(0x41...0x5A ~= byte ? byte + 32 : byte))
        rest = rest.dropFirst()
      } else {
        let plain = Array(digits.drop { $0 == 0x30 })
        parts.append(.number(length: plain.count, digits: plain))
        rest = rest.dropFirst(digits.count)
      }
    }
    return parts
  }
}
