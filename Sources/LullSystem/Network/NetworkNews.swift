internal import Glibc

/// Changes of the network as a descriptor: readable when an address, a route or a link has changed
/// (rtnetlink(7)). What has changed is not told; `NetworkState` reads it.
package struct NetworkNews: ~Copyable {
  /// RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_IFADDR, RTMGRP_IPV6_ROUTE.
  private static let groups: UInt32 = 0x001 | 0x010 | 0x040 | 0x100 | 0x400

  private let socket: Descriptor

  /// Subscribes to the changes in a network namespace; nil: this process's own. EAFNOSUPPORT, EPERM: there is
  /// no netlink here. The corresponding C functions are `setns`, `socket(NETLINK_ROUTE)` and `bind`.
  package init(in space: NetworkNamespace? = nil) throws(SystemError) {
    socket = try Netlink.open(Netlink.route, groups: Self.groups, in: space?.box.raw)
  }

  package var raw: Int32 { socket.raw }

  package struct Content: Equatable, Sendable {
    package var hasChanged = false
    /// The addresses that came or went, perhaps for a moment only.
    package var addresses: Set<HostAddress> = []

    package init() {}

    /// A scan of a radio link (IFLA_WIRELESS) changes nothing.
    init(_ bytes: [UInt8]) {
      for message in NetlinkMessages(bytes) {
        let isScan = message.type == NetlinkMessage.newLink && message.attributes(after: 16)[11] != nil
        if !isScan { hasChanged = true }
        if let address = NetworkState.address(message) { addresses.insert(address.host) }
      }
    }

    mutating func add(_ other: Content) {
      hasChanged = hasChanged || other.hasChanged
      addresses.formUnion(other.addresses)
    }
  }

  /// Takes the news that have come. After an overrun (ENOBUFS) nobody knows what they were. The corresponding
  /// C function is `recv`.
  package func take() throws(SystemError) -> Content {
    var room = ReceiveBuffer(capacity: Netlink.room)
    var content = Content()
    while true {
      do {
        guard case .bytes = try Socket.read(socket.raw, into: &room) else { return content }
        content.add(Content(Array(room.received)))
      } catch {
        guard error.code == ENOBUFS else { throw error }
        content.hasChanged = true
      }
    }
  }
}
