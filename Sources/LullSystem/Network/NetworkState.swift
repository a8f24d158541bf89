/// The addresses of this machine and its routes, as far as packets can travel on them now.
package struct NetworkState: Equatable, Sendable {
  package struct Address: Hashable, Sendable {
    package let host: HostAddress
    /// The kernel's number of its interface.
    package let interface: Int32
  }

  package struct Route: Hashable, Sendable {
    /// The first address of the destination, in network order.
    package let destination: [UInt8]
    let bits: Int
    let metric: UInt32
    let step: Step
  }

  /// A first step of packets on their way.
  package struct Step: Hashable, Sendable {
    let table: UInt32
    let interface: Int32?
    /// The gateway, the next hops and the encapsulation as the kernel writes them.
    let next: [[UInt8]]
    /// The source address that the route prefers.
    var source: HostAddress?
    /// False for a route that refuses its packets.
    let isOpen: Bool
  }

  /// In the kernel's order: the first address of an interface is its main one.
  package private(set) var addresses: [Address] = []
  package private(set) var routes: [Route] = []

  /// In this state nothing is reachable.
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
