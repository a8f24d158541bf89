/// The treatment of a peer that takes less than is queued for it. Nobody ever waits for such a peer.
package enum Overload {
  /// Beyond the bound of the output the channel comes to its end, `overrun`.
  case dropPeer
  /// The peer's requests wait, in the socket and here, while as much as a slice is queued for it. Only
  /// messages that the peer did not ask for can still reach the bound of the output, which ends the channel,
  /// too.
  case holdUpRequests
  /// Beyond the bound nothing more is queued until the peer has taken all that waits. `takeRefusal` then says
  /// that the peer is to be told anew.
  case refuseMore
}
