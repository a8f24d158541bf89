internal import Glibc

/// Addresses and routes of a container are its own.
package struct NetworkNamespace {
  let box: DescriptorBox
  /// Its inode in nsfs.
  package let number: UInt64

  /// That of a process; nil for this process's own. EPERM: it is another user's; ENOENT: it has ended. The
  /// corresponding C function is `open` of /proc/PID/ns/net.
  package static func foreign(of pid: Int32) throws(SystemError) -> NetworkNamespace? {
    guard let other = try Files.openRegular(Array("/proc/\(pid)/ns/net".utf8)),
      let own = try Files.openRegular(Array("/proc/self/ns/net".utf8))
    else { return nil }
    let number = try FileIdentity.of(other.raw).inode
    return try FileIdentity.of(own.raw).inode == number ? nil : NetworkNamespace(box: other, number: number)
  }
}

/// The addresses of this machine and its routes, as far as packets can travel on them now.
package struct NetworkState: Equatable, Sendable {
  package struct Address: Hashable, Sendable {
    package let host: HostAddress
    package let interface: Int32
  }

  package struct Route: Hashable, Sendable {
    /// The first address of the destination, in network order.
    package let destination: [UInt8]
    let bits: Int
    let metric: UInt32
    let step: Step
  }

  package struct Step: Hashable, Sendable {
    let table: UInt32
    let interface: Int32?
    /// The gateway, the next hops and the encapsulation as the kernel writes them.
    let next: [[UInt8]]
    var source: HostAddress?
    /// False for a route that refuses its packets.
    let isOpen: Bool
  }

  /// In the kernel's order: the first address of an interface is its main one.
  package private(set) var addresses: [Address] = []
  package private(set) var routes: [Route] = []

  package init() {}

  init(addresses: [Address], routes: [Route]) { (self.addresses, self.routes) = (addresses, routes) }

  package func has(_ address: HostAddress) -> Bool { addresses.contains { $0.host == address } }

  /// The ways to a destination, one or more for each routing table that knows any; empty: it cannot be
  /// reached. Which table counts is up to rules that are not looked at: a change in any of them is a change.
  package func ways(to destination: HostAddress) -> Set<Step> {
    var best: [UInt32: (bits: Int, metric: UInt32, steps: Set<Step>)] = [:]
    for route in routes where destination.matches(route.destination, bits: route.bits) {
      let known = best[route.step.table]
      if let known, (known.bits, route.metric) > (route.bits, known.metric) { continue }
      let isEqual = known.map { $0.bits == route.bits && $0.metric == route.metric } == true
      let steps = (isEqual ? known?.steps ?? [] : []).union([named(route.step, for: destination)])
      best[route.step.table] = (route.bits, route.metric, steps)
    }
    return best.values.reduce(into: []) { $0.formUnion($1.steps.filter(\.isOpen)) }
  }

  /// Another IPv4 source would be another way: what the peer has answered so far would not arrive. IPv6
  /// addresses come and go on one interface, and connections keep theirs.
  private func named(_ step: Step, for destination: HostAddress) -> Step {
    guard step.source == nil, destination.bytes.count == 4 else { return step }
    var named = step
    named.source = addresses.first { $0.interface == step.interface && $0.host.bytes.count == 4 }?.host
    return named
  }
}

// The kernel's dump of its addresses, links and routes.
extension NetworkState {
  private static let maximumRoutes = 1024

  /// The state of a namespace now; nil: this process's own. EOVERFLOW: there are more than 1024 routes. The
  /// corresponding C functions are `setns`, and `send` and `recv` of NETLINK_ROUTE.
  package static func read(in space: NetworkNamespace? = nil) throws(SystemError) -> NetworkState {
    let socket = try Netlink.open(Netlink.route, in: space?.box.raw)
    var links: Set<Int32> = []
    let noStatistics = NetlinkBytes().adding(UInt16(8)).adding(UInt16(29)).adding(UInt32(8))  // IFLA_EXT_MASK
    try Netlink.dump(
      NetlinkMessage.getLink, NetlinkBytes().adding(zeros: 16).adding(noStatistics), from: socket.raw
    ) { message in
      if let number = runningLink(message) { links.insert(number) }
      return true
    }
    var addresses: [Address] = []
    try Netlink.dump(NetlinkMessage.getAddress, NetlinkBytes().adding(zeros: 8), from: socket.raw) {
      message in
      if let address = address(message), links.contains(address.interface) { addresses.append(address) }
      return true
    }
    var routes: [Route] = []
    try Netlink.dump(NetlinkMessage.getRoute, NetlinkBytes().adding(zeros: 12), from: socket.raw) { message in
      if let route = route(message), route.step.interface.map(links.contains) != false {
        routes.append(route)
      }
      return routes.count <= maximumRoutes
    }
    return NetworkState(addresses: addresses, routes: routes)
  }

  static func runningLink(_ message: NetlinkMessage) -> Int32? {
    guard message.type == NetlinkMessage.newLink, let number = message.payload.number(at: 4, Int32.self),
      let flags = message.payload.number(at: 8, UInt32.self)
    else { return nil }
    let running: UInt32 = 0x1 | 0x40  // IFF_UP, IFF_RUNNING
    return flags & running == running ? number : nil
  }

  static func address(_ message: NetlinkMessage) -> Address? {
    guard [NetlinkMessage.newAddress, NetlinkMessage.oldAddress].contains(message.type),
      let interface = message.payload.number(at: 4, Int32.self)
    else { return nil }
    let attributes = message.attributes(after: 8)
    let flags = attributes[8]?.number(at: 0, UInt32.self) ?? 0  // IFA_FLAGS
    // An IPv6 address that is still checked for a second owner cannot be used yet (IFA_F_TENTATIVE).
    guard flags & 0x40 == 0, let bytes = attributes[2] ?? attributes[1],  // IFA_LOCAL, IFA_ADDRESS
      let host = HostAddress(bytes: bytes)
    else { return nil }
    return Address(host: host, interface: interface)
  }

  static func route(_ message: NetlinkMessage) -> Route? {
    guard message.type == NetlinkMessage.newRoute, message.payload.count >= 12 else { return nil }
    let header = Array(message.payload.prefix(12))
    let size = header[0] == AF_INET ? 4 : header[0] == AF_INET6 ? 16 : 0
    // Unicast routes, and those that refuse (RTN_UNICAST, RTN_BLACKHOLE to RTN_THROW); no clones.
    guard size > 0, header[7] == 1 || (6...9).contains(header[7]),
      message.payload.number(at: 8, UInt32.self).map({ $0 & 0x200 == 0 }) == true
    else { return nil }
    let attributes = message.attributes(after: 12)
    let table = attributes[15]?.number(at: 0, UInt32.self) ?? UInt32(header[4])  // RTA_TABLE
    // RTA_GATEWAY, RTA_MULTIPATH, RTA_VIA, RTA_ENCAP, RTA_NH_ID.
    let next = [UInt16]([5, 9, 18, 22, 30]).map { attributes[$0].map(Array.init) ?? [] }
    let step = Step(
      table: table, interface: attributes[4]?.number(at: 0, Int32.self),  // RTA_OIF
      next: next, source: attributes[7].flatMap { HostAddress(bytes: $0) },  // RTA_PREFSRC
      isOpen: header[7] == 1)
    return Route(
      destination: attributes[1].map(Array.init) ?? Array(repeating: 0, count: size), bits: Int(header[1]),
      metric: attributes[6]?.number(at: 0, UInt32.self) ?? 0, step: step)  // RTA_DST, RTA_PRIORITY
  }
}
