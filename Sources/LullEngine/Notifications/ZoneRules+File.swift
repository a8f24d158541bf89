extension ZoneRules {
  /// Reads a file of the zone database (tzfile(5), RFC 8536).
  public init?(name: String?, file: [UInt8]) {
    var reader = ZoneFile(bytes: file[...])
    guard let first = reader.header() else { return nil }
    var header = first
    var width = 4
    if header.version >= 2 {
      // The first part is for old programs; the same stands behind it with 64 bits.
      guard reader.skip(header.size(width: 4)), let second = reader.header() else { return nil }
      (header, width) = (second, 8)
    }
    guard let (initial, changes) = reader.changes(header, width: width) else { return nil }
    var rule: YearlyRule?
    if width == 8 {
      // Without its rule a zone would be wrong from the last change on.
      guard let footer = reader.footer() else { return nil }
      rule = YearlyRule(footer)
      guard rule != nil || footer.isEmpty else { return nil }
    }
    self.init(name: name, initial: initial, changes: changes, rule: rule)
  }
}

private struct ZoneFile {
  struct Header {
    let version: Int
    let universals: Int, standards: Int, leaps: Int, times: Int, types: Int, characters: Int

    func size(width: Int) -> Int {
      times * (width + 1) + types * 6 + characters + leaps * (width + 4) + standards + universals
    }
  }

  var bytes: ArraySlice<UInt8>

  mutating func skip(_ count: Int) -> Bool {
    guard bytes.count >= count else { return false }
    bytes.removeFirst(count)
    return true
  }

  /// The highest byte comes first.
  mutating func number(_ width: Int) -> Int64? {
    guard bytes.count >= width else { return nil }
    let value = bytes.prefix(width).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    bytes.removeFirst(width)
    return width == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
  }

  mutating func header() -> Header? {
    guard bytes.starts(with: "TZif".utf8), bytes.count >= 44 else { return nil }
    let digit = bytes[bytes.startIndex + 4]
    bytes.removeFirst(20)
    var counts: [Int] = []
    for _ in 0..<6 {
      guard let count = number(4), (0...100_000).contains(count) else { return nil }
      counts.append(Int(count))
    }
    guard counts[4] > 0 else { return nil }
    return Header(
      version: digit == 0 ? 1 : Int(digit) - Int(UInt8(ascii: "0")), universals: counts[0],
      standards: counts[1], leaps: counts[2], times: counts[3], types: counts[4], characters: counts[5])
  }

  mutating func changes(_ header: Header, width: Int) -> (Int64, [ZoneRules.Change])? {
    guard bytes.count >= header.size(width: width) else { return nil }
    let moments = (0..<header.times).compactMap { _ in number(width) }
    let places = bytes.prefix(header.times).map(Int.init)
    bytes.removeFirst(header.times)
    var offsets: [Int64] = []
    for _ in 0..<header.types {
      guard let offset = number(4), abs(offset) <= 100_000 else { return nil }
      offsets.append(offset)
      bytes.removeFirst(2)
    }
    bytes.removeFirst(header.characters + header.leaps * (width + 4) + header.standards + header.universals)
    guard places.allSatisfy({ $0 < offsets.count }), zip(moments, moments.dropFirst()).allSatisfy(<) else {
      return nil
    }
    let changes = zip(moments, places).map { ZoneRules.Change(at: $0, offset: offsets[$1]) }
    return (offsets[0], changes)
  }

  /// The rule for the years to come, between two line feeds.
  func footer() -> ArraySlice<UInt8>? {
    guard bytes.first == 10, let end = bytes.dropFirst().firstIndex(of: 10) else { return nil }
    return bytes[bytes.startIndex + 1..<end]
  }
}
