internal import Glibc

package struct SocketAddress: Hashable, Sendable {
  /// The kernel's `struct sockaddr`, with its actual length.
  let bytes: [UInt8]

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// A Unix socket's path. ENAMETOOLONG: more than 107 bytes; EINVAL: empty, or with a NUL.
  package init(path: String) throws(SystemError) {
    let name = Array(path.utf8)
    guard name.count < 108 else { throw SystemError(code: ENAMETOOLONG, call: "bind \(path)") }
    guard !name.isEmpty, !name.contains(0) else { throw SystemError(code: EINVAL, call: "bind \(path)") }
    bytes = SocketAddress.family(AF_UNIX) + name + [0]
  }

  /// A Unix socket's name in the abstract namespace, which has no files. ENAMETOOLONG: more than 107 bytes;
  /// EINVAL: empty.
  package init(abstractName: String) throws(SystemError) {
    let name = Array(abstractName.utf8)
    let call = "connect @\(abstractName)"
    guard name.count < 108 else { throw SystemError(code: ENAMETOOLONG, call: call) }
    guard !name.isEmpty else { throw SystemError(code: EINVAL, call: call) }
    bytes = SocketAddress.family(AF_UNIX) + [0] + name
  }

  /// A port of 127.0.0.1; port 0 lets the kernel choose one when the address is bound.
  package static func loopback(port: UInt16 = 0) -> SocketAddress {
    SocketAddress(
      bytes: family(AF_INET) + [UInt8(port >> 8), UInt8(port & 0xff), 127, 0, 0, 1]
        + Array(repeating: 0, count: 8))
  }

  /// A port of [::1]; port 0 lets the kernel choose one when the address is bound.
  package static func loopbackV6(port: UInt16 = 0) -> SocketAddress {
    let host: [UInt8] = Array(repeating: 0, count: 15) + [1]
    return SocketAddress(
      bytes: family(AF_INET6) + [UInt8(port >> 8), UInt8(port & 0xff), 0, 0, 0, 0] + host + [0, 0, 0, 0])
  }

  /// An address and a port as `description` writes them, "127.0.0.1:5060" or "[::1]:5060"; nil for anything
  /// else, names included.
  package init?(numeric text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      return nil
    }
    let host = text[..<colon]
    let isV6 = host.hasPrefix("[") && host.hasSuffix("]")
    let family = isV6 ? AF_INET6 : AF_INET
    var address = [UInt8](repeating: 0, count: isV6 ? 16 : 4)
    let name = String(isV6 ? host.dropFirst().dropLast() : host)
    guard unsafe inet_pton(family, name, &address) == 1 else { return nil }
    let head = Self.family(family) + [UInt8(port >> 8), UInt8(port & 0xff)]
    let zeros = Array(repeating: UInt8(0), count: isV6 ? 4 : 8)
    bytes = isV6 ? head + zeros + address + zeros : head + address + zeros
  }

  private static func family(_ family: Int32) -> [UInt8] {
    unsafe withUnsafeBytes(of: sa_family_t(family)) { unsafe Array($0) }
  }

  var family: Int32 {
    guard bytes.count >= 2 else { return AF_UNSPEC }
    return unsafe bytes.withUnsafeBytes { bytes in unsafe Int32(bytes.load(as: sa_family_t.self)) }
  }

  /// Nil for other families.
  package var port: UInt16? {
    guard family == AF_INET || family == AF_INET6, bytes.count >= 4 else { return nil }
    return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
  }

  /// The address in network order (4 or 16 bytes) and the port; nil for other families.
  package var networkBytes: (address: [UInt8], port: UInt16)? {
    guard let port else { return nil }
    return family == AF_INET ? (Array(bytes[4..<8]), port) : (Array(bytes[8..<24]), port)
  }

  func bind(_ raw: Int32) throws(SystemError) {
    try systemCall("bind") { unsafe withPointer { address, size in unsafe Glibc.bind(raw, address, size) } }
  }

  func connect(_ raw: Int32) -> Int32 {
    unsafe withPointer { address, size in unsafe Glibc.connect(raw, address, size) }
  }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result) -> Result {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe body(bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }

  init(
    _ name: String, on origin: DescriptorOrigin,
    read: (UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>) -> Int32
  ) throws(SystemError) {
    var room = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
    var size = socklen_t(room.count)
    try systemCall(name, on: origin) {
      unsafe room.withUnsafeMutableBytes { room in
        unsafe read(room.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
      }
    }
    bytes = Array(room.prefix(Int(size)))
  }
}

extension SocketAddress: CustomStringConvertible {
  /// "127.0.0.1:10000", "[::1]:10000", "/run/socket", "@abstract", "unnamed"; a byte that is not UTF-8 is
  /// replaced.
  package var description: String {
    switch family {
    case AF_INET where bytes.count >= 8:
      "\(bytes[4]).\(bytes[5]).\(bytes[6]).\(bytes[7]):\(port ?? 0)"
    case AF_INET6 where bytes.count >= 28: "[\(hostV6)]:\(port ?? 0)"
    case AF_UNIX: unixName
    case AF_UNSPEC: "unnamed"
    default: "family \(family)"
    }
  }

  private var hostV6: String {
    let room = unsafe [CChar](unsafeUninitializedCapacity: Int(INET6_ADDRSTRLEN)) { room, count in
      unsafe room.initialize(repeating: 0)
      count = room.count
      _ = unsafe bytes.withUnsafeBytes { bytes in
        unsafe inet_ntop(
          AF_INET6, bytes.baseAddress.map { unsafe $0 + 8 }, room.baseAddress, socklen_t(room.count))
      }
    }
    let text = String(decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let scope = bytes[24..<28].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return scope == 0 ? text : "\(text)%\(scope)"
  }

  private var unixName: String {
    let name = bytes.dropFirst(2)
    guard let first = name.first else { return "unnamed" }
    if first == 0 {
      return name.count == 1 ? "unnamed" : "@" + String(decoding: name.dropFirst(), as: UTF8.self)
    }
    return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
  }
}
