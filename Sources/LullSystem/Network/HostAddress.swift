package struct HostAddress: Hashable, Sendable {
  /// 4 or 16 bytes in network order. An IPv4 address that is written as an IPv6 address (::ffff:0:0/96) has
  /// 4.
  package let bytes: [UInt8]

  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    let all = Array(bytes)
    let mapped = [UInt8](repeating: 0, count: 10) + [255, 255]
    self.bytes = all.count == 16 && all.starts(with: mapped) ? Array(all[12...]) : all
  }

  /// The address in the text of an address and a port, as `SocketAddress` writes it; nil for anything else,
  /// and for a link-local address, which names its link.
  package init?(of text: String) {
    guard let found = SocketAddress(numeric: text)?.networkBytes else { return nil }
    self.init(bytes: found.address)
  }

  /// The address of every interface, 0.0.0.0 or [::].
  package var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

  /// 127.0.0.0/8 or ::1.
  package var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
  }

  package var anywhere: HostAddress { bytes.count == 4 ? .anywhereV4 : .anywhereV6 }

  package static let anywhereV4 = HostAddress(zeros: 4)
  package static let anywhereV6 = HostAddress(zeros: 16)

  private init(zeros: Int) { bytes = Array(repeating: 0, count: zeros) }

  func matches(_ prefix: [UInt8], bits: Int) -> Bool {
    let (whole, rest) = (bits / 8, bits % 8)
    guard bits <= bytes.count * 8, prefix.count == bytes.count else { return false }
    guard bytes.prefix(whole) == prefix.prefix(whole) else { return false }
    return rest == 0 || (bytes[whole] ^ prefix[whole]) >> (8 - rest) == 0
  }
}
