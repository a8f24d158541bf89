internal import CLinux
internal import Glibc

enum Netlink {
  /// A message of the kernel is never longer: it makes none larger than the room that it is offered, from 32
  /// KiB on.
  static let room = 32_768

  static let route: Int32 = 0, diagnosis: Int32 = 4, uevents: Int32 = 15

  /// A socket of a family, such as `route`, that receives the messages of these groups. `space` is a
  /// descriptor of a network namespace; nil: this process's own.
  static func open(
    _ family: Int32, groups: UInt32 = 0, in space: Int32? = nil
  ) throws(SystemError) -> Descriptor {
    let socket = try Descriptor(
      owning: systemCall("socket(AF_NETLINK)") { clinux_netlink(family, space ?? -1) })
    // struct sockaddr_nl: the family, padding, the kernel's choice of a port, the groups.
    let bytes = NetlinkBytes().adding(UInt16(AF_NETLINK)).adding(UInt16(0)).adding(UInt32(0)).adding(groups)
    try SocketAddress(bytes: bytes.bytes).bind(socket.raw)
    return socket
  }

  /// Asks for all objects of a kind. `request` is the payload; `take` returns false for too many objects.
  static func dump(
    _ type: UInt16, _ request: NetlinkBytes, from raw: Int32, _ take: (NetlinkMessage) -> Bool
  ) throws(SystemError) {
    let size = UInt32(16 + request.bytes.count)
    let flags: UInt16 = 0x001 | 0x300  // NLM_F_REQUEST, NLM_F_DUMP
    let head = NetlinkBytes().adding(size).adding(type).adding(flags).adding(UInt32(type)).adding(UInt32(0))
    guard case .sent = try Socket.write(raw, head.bytes + request.bytes) else {
      throw SystemError(code: ENOBUFS, call: "send(AF_NETLINK)")
    }
    var room = ReceiveBuffer(capacity: Netlink.room)
    // The kernel makes the next part of a dump when the last one is taken: nothing is waited for.
    while case .bytes = try Socket.read(raw, into: &room) {
      for message in NetlinkMessages(Array(room.received)) {
        switch message.type {
        case NetlinkMessage.done: return
        case NetlinkMessage.error:
          let code = message.payload.number(at: 0, Int32.self) ?? -EIO
          throw SystemError(code: -code, call: "recv(AF_NETLINK)")
        default: guard take(message) else { throw SystemError(code: EOVERFLOW, call: "recv(AF_NETLINK)") }
        }
      }
    }
  }
}

/// A message of netlink(7), without its header.
struct NetlinkMessage {
  static let error: UInt16 = 2, done: UInt16 = 3
  static let newLink: UInt16 = 16, getLink: UInt16 = 18
  static let newAddress: UInt16 = 20, oldAddress: UInt16 = 21, getAddress: UInt16 = 22
  static let newRoute: UInt16 = 24, getRoute: UInt16 = 26

  let type: UInt16
  let payload: ArraySlice<UInt8>

  /// The attributes behind a header of that many bytes, by number; of a number that comes twice, the last
  /// one.
  func attributes(after header: Int) -> [UInt16: ArraySlice<UInt8>] {
    var found: [UInt16: ArraySlice<UInt8>] = [:]
    var rest = payload.dropFirst(header)
    while let size = rest.number(at: 0, UInt16.self), size >= 4, rest.count >= Int(size),
      let kind = rest.number(at: 2, UInt16.self)
    {
      found[kind & 0x3FFF] = rest.dropFirst(4).prefix(Int(size) - 4)
      rest = rest.dropFirst((Int(size) + 3) & ~3)
    }
    return found
  }
}

/// A message that is cut off ends the sequence.
struct NetlinkMessages: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func next() -> NetlinkMessage? {
    guard let size = rest.number(at: 0, UInt32.self), size >= 16, rest.count >= Int(size),
      let type = rest.number(at: 4, UInt16.self)
    else { return nil }
    defer { rest = rest.dropFirst((Int(size) + 3) & ~3) }
    return NetlinkMessage(type: type, payload: rest.dropFirst(16).prefix(Int(size) - 16))
  }
}

extension ArraySlice<UInt8> {
  /// The number is in the byte order of this machine; nil behind the end.
  func number<Number: FixedWidthInteger & BitwiseCopyable>(at distance: Int, _: Number.Type) -> Number? {
    guard count >= distance + MemoryLayout<Number>.size else { return nil }
    return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: distance, as: Number.self) }
  }
}

/// Bytes of a message in the order of this machine.
struct NetlinkBytes {
  private(set) var bytes: [UInt8] = []

  func adding<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) -> NetlinkBytes {
    var longer = self
    unsafe withUnsafeBytes(of: number) { unsafe longer.bytes += Array($0) }
    return longer
  }

  func adding(_ more: NetlinkBytes) -> NetlinkBytes {
    var longer = self
    longer.bytes += more.bytes
    return longer
  }

  func adding(zeros: Int) -> NetlinkBytes {
    var longer = self
    longer.bytes += Array(repeating: 0, count: zeros)
    return longer
  }
}
