/// The addresses of peers whose connections neither wake a program nor keep it awake (`--ignore-peer`).
public struct PeerRange: Hashable, Sendable, LosslessStringConvertible {
  /// The text from which it was read.
  public let description: String
  /// 16 bytes. An IPv4 address stands in an IPv6 one (::ffff:a.b.c.d), so that both are the same peer.
  private let bytes: [UInt8]
  private let bits: Int

  /// `ADDRESS` or `ADDRESS/N`, where N is the number of bits that are compared; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let version4 = Self.version4(parts[0])
    guard parts.count <= 2, let bytes = version4.map({ Self.mapped + $0 }) ?? Self.version6(parts[0]) else {
      return nil
    }
    let most = version4 == nil ? 128 : 32
    guard let bits = parts.count == 2 ? Self.number(parts[1], most: most) : most else { return nil }
    (description, self.bytes, self.bits) = (text, bytes, 128 - most + bits)
  }

  /// `address` has 4 or 16 bytes, in network order.
  public func contains(_ address: [UInt8]) -> Bool {
    let peer = address.count == 4 ? Self.mapped + address : address
    guard peer.count == 16, peer.prefix(bits / 8) == bytes.prefix(bits / 8) else { return false }
    return bits % 8 == 0 || (peer[bits / 8] ^ bytes[bits / 8]) >> UInt8(8 - bits % 8) == 0
  }

  private static let mapped: [UInt8] = Array(repeating: 0, count: 10) + [255, 255]

  private static func number(_ digits: Substring, most: Int) -> Int? {
    guard (1...3).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(digits).flatMap { $0 <= most ? $0 : nil }
  }

  private static func version4(_ text: Substring) -> [UInt8]? {
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { number($0, most: 255) }
    guard numbers.count == 4, !numbers.contains(nil) else { return nil }
    return numbers.map { UInt8($0 ?? 0) }
  }

  /// RFC 4291, section 2.2: eight groups, of which `::` leaves one or more out, and the last two may be an
  /// IPv4 address.
  private static func version6(_ text: Substring) -> [UInt8]? {
    guard let gap = text.utf8.indices.dropLast().first(where: { text[$0...].hasPrefix("::") }) else {
      return groups(text).flatMap { $0.count == 16 ? $0 : nil }
    }
    guard !text[..<gap].contains("."), let first = groups(text[..<gap]),
      let last = groups(text[gap...].dropFirst(2)), first.count + last.count <= 14
    else { return nil }
    return first + Array(repeating: 0, count: 16 - first.count - last.count) + last
  }

  private static func groups(_ text: Substring) -> [UInt8]? {
    guard !text.isEmpty else { return [] }
    let words = text.split(separator: ":", omittingEmptySubsequences: false)
    var bytes: [UInt8] = []
    for (place, word) in words.enumerated() {
      if place == words.count - 1, let last = version4(word) { return bytes + last }
      guard (1...4).contains(word.utf8.count), word.first != "+", let group = UInt16(word, radix: 16) else {
        return nil
      }
      bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
    }
    return bytes
  }
}

/// A question of a health check that is answered for a sleeping program (`--answer-probe`).
public struct ProbeRule: Hashable, Sendable, LosslessStringConvertible {
  /// The port of the listening socket; nil: any port.
  public let port: UInt16?
  /// The path of an HTTP request; nil: the connection is all that is asked for.
  public let path: String?

  /// `PORT`, `PORT/PATH` or `/PATH`; nil for anything else.
  public init?(_ text: String) {
    let digits = text.prefix { $0 != "/" }
    let path = text[digits.endIndex...]
    let isPrintable = path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }
    guard !text.isEmpty, path.utf8.count <= Self.longestPath, isPrintable, digits.first != "+" else {
      return nil
    }
    guard let port = digits.isEmpty ? 0 : UInt16(digits), digits.isEmpty == (port == 0) else { return nil }
    self.port = digits.isEmpty ? nil : port
    self.path = path.isEmpty ? nil : String(path)
  }

  /// In bytes.
  public static let longestPath = 100

  /// The text that is read as this value.
  public var description: String { (port.map { String($0) } ?? "") + (path ?? "") }
}
