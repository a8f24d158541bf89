internal import Glibc

/// The kernel's messages about devices.
package struct UeventSocket: ~Copyable {
  package enum Outcome: Equatable, Sendable {
    case message
    case nothing
    /// Messages were lost: what they told has to be read elsewhere.
    case overrun
  }

  private let descriptor: Descriptor

  /// Receives every message from now on. EPROTONOSUPPORT: a kernel without them. The corresponding C
  /// functions are `socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT)` and `bind`.
  package init() throws(SystemError) {
    let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let uevents: Int32 = 15
    let own = try Descriptor(owning: systemCall("socket(AF_NETLINK)") { socket(AF_NETLINK, kind, uevents) })
    // struct sockaddr_nl: any number, and the group of the kernel's own messages.
    let family = unsafe withUnsafeBytes(of: sa_family_t(AF_NETLINK)) { unsafe Array($0) }
    let group = unsafe withUnsafeBytes(of: UInt32(1)) { unsafe Array($0) }
    try SocketAddress(bytes: family + Array(repeating: 0, count: 6) + group).bind(own.raw)
    descriptor = own
  }

  package var raw: Int32 { descriptor.raw }

  package func read(into buffer: inout ReceiveBuffer) throws(SystemError) -> Outcome {
    do {
      guard case .bytes = try Socket.read(raw, into: &buffer) else { return .nothing }
      return .message
    } catch {
      guard error.code == ENOBUFS else { throw error }
      return .overrun
    }
  }
}
