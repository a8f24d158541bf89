/// The report that a session plays on (captures from) another device.
package struct RouteReport: Equatable, Sendable {
  package var session: UInt64
  package var old: String
  package var device: String
  package var reason: RouteReason

  package init(_ session: UInt64, from old: String, to device: String, _ reason: RouteReason) {
    (self.session, self.old, self.device, self.reason) = (session, old, device, reason)
  }
}
