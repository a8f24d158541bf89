internal import Glibc

extension Socket {
  /// Marks what a socket sends as expedited forwarding, the class of telephony (RFC 3246; code point 46), for networks
  /// that care. The corresponding C function is `setsockopt(IP_TOS, IPV6_TCLASS)`.
  public static func setExpeditedForwarding(_ raw: Int32) throws(SystemError) {
    var value: Int32 = 46 << 2
    let isV6 = try localAddress(raw).family == AF_INET6
    let (level, option) = isV6 ? (Int32(IPPROTO_IPV6), IPV6_TCLASS) : (Int32(IPPROTO_IP), IP_TOS)
    let size = socklen_t(MemoryLayout<Int32>.size)
    try systemCall("setsockopt(IP_TOS)", on: .foreign) {
      unsafe setsockopt(raw, level, option, &value, size)
    }
  }
}
