/// The order in which people sort names: numbers by their value, letters without regard to case.
enum NaturalOrder {
  static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let (a, b) = (key(one), key(other))
    // Names that differ in nothing but case or zeros have an order all the same.
    return a != b ? a.lexicographicallyPrecedes(b) : one.lexicographicallyPrecedes(other)
  }

  /// The name in small letters; a number stands as a digit, the count of its digits without leading zeros,
  /// and these: the longer number is the larger.
  private static func key(_ name: [UInt8]) -> [UInt8] {
    var key: [UInt8] = []
    var rest = name[...]
    while let byte = rest.first {
      let digits = rest.prefix { 0x30...0x39 ~= $0 }
      let plain = digits.drop { $0 == 0x30 }
      key +=
        digits.isEmpty
        ? [0x41...0x5A ~= byte ? byte + 32 : byte] : [0x30, UInt8(clamping: plain.count)] + plain
      rest = rest.dropFirst(max(1, digits.count))
    }
    return key
  }
}
