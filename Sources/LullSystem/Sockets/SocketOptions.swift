internal import Glibc

extension Socket {
  /// Lets the kernel probe an idle connection every `idleSeconds`, which wakes nobody and keeps the entries
  /// of address translators alive.
  package static func setKeepAlive(_ raw: Int32, idleSeconds: Int32) throws(SystemError) {
    try set(
      raw, level: Int32(IPPROTO_TCP), option: TCP_KEEPIDLE, value: idleSeconds,
      name: "setsockopt(TCP_KEEPIDLE)")
    try set(
      raw, level: Int32(IPPROTO_TCP), option: TCP_KEEPINTVL, value: min(75, idleSeconds),
      name: "setsockopt(TCP_KEEPINTVL)")
    try set(raw, level: SOL_SOCKET, option: SO_KEEPALIVE, value: 1, name: "setsockopt(SO_KEEPALIVE)")
  }

  /// Sends small segments at once: an answer in two writes does not wait for the peer's delayed
  /// acknowledgement.
  package static func setNoDelay(_ raw: Int32) throws(SystemError) {
    try set(raw, level: Int32(IPPROTO_TCP), option: TCP_NODELAY, value: 1, name: "setsockopt(TCP_NODELAY)")
  }

  /// A TCP socket is then readable only when so many bytes wait, its receive buffer is full or its peer has
  /// ended; the kernel makes the buffer large enough.
  package static func setReceiveLowWater(_ raw: Int32, bytes: Int32) throws(SystemError) {
    try set(raw, level: SOL_SOCKET, option: SO_RCVLOWAT, value: bytes, name: "setsockopt(SO_RCVLOWAT)")
  }

  /// Marks the packets of a socket as expedited forwarding, the class of telephony (RFC 3246; code point 46),
  /// for networks that care.
  package static func setExpeditedForwarding(_ raw: Int32) throws(SystemError) {
    let isV6 = try localAddress(raw).family == AF_INET6
    let (level, option) = isV6 ? (Int32(IPPROTO_IPV6), IPV6_TCLASS) : (Int32(IPPROTO_IP), IP_TOS)
    try set(raw, level: level, option: option, value: 46 << 2, name: "setsockopt(IP_TOS)")
  }

  /// The time-out of blocking calls that receive, or of those that send (SO_RCVTIMEO, SO_SNDTIMEO), in
  /// nanoseconds; nil: no limit.
  package static func timeOut(_ raw: Int32, isSending: Bool) throws(SystemError) -> Int64? {
    let value = try option(
      raw, option: isSending ? SO_SNDTIMEO : SO_RCVTIMEO, into: timeval(), name: "getsockopt(SO_RCVTIMEO)")
    let nanoseconds = Int64(value.tv_sec) * 1_000_000_000 + Int64(value.tv_usec) * 1000
    return nanoseconds == 0 ? nil : nanoseconds
  }

  /// `value` only tells the type, and is written over.
  static func option<Value: BitwiseCopyable>(
    _ raw: Int32, level: Int32 = SOL_SOCKET, option: Int32, into value: Value = Int32(0), name: String,
    on origin: DescriptorOrigin = .foreign
  ) throws(SystemError) -> Value {
    var (value, size) = (value, socklen_t(MemoryLayout<Value>.size))
    try systemCall(name, on: origin) { unsafe getsockopt(raw, level, option, &value, &size) }
    return value
  }

  static func set(
    _ raw: Int32, level: Int32, option: Int32, value: Int32, name: String
  ) throws(SystemError) {
    var value = value
    let size = socklen_t(MemoryLayout<Int32>.size)
    try systemCall(name, on: .foreign) { unsafe setsockopt(raw, level, option, &value, size) }
  }
}
