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
    // The first group has the kernel's own messages.
    descriptor = try Netlink.open(Netlink.uevents, groups: 1)
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
