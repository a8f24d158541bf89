import LullSystem

/// The other side of a call: the address to send to, and the sender of its packets.
struct CallPeer {
  /// The silence, half a minute, after which a peer counts as gone.
  private static let patience: Int64 = 30_000_000_000

  /// The address to send to; nil until the first packet has come.
  private(set) var address: SocketAddress?
  /// The sender of the first packet; packets of other senders are dropped afterwards.
  private var speaker: SocketAddress?
  private var lastPacket: Int64

  /// `address` nil: the first sender becomes the peer. `now` is in nanoseconds of CLOCK_BOOTTIME.
  init(_ address: SocketAddress?, at now: Int64) {
    (self.address, lastPacket) = (address, now)
  }

  /// True when frames of the peer have come.
  var hasSpoken: Bool { speaker != nil }

  /// True when packets of the sender belong to the call.
  func maySpeak(from sender: SocketAddress) -> Bool { speaker == nil || sender == speaker }

  /// Notes a packet with frames; true for the first one.
  ///
  /// A peer behind NAT told an address that cannot be reached, so frames go to the source of its packets
  /// (symmetric RTP, RFC 4961). A peer at its own address may send from another port than it receives at.
  mutating func noteMedia(from sender: SocketAddress, at now: Int64) -> Bool {
    lastPacket = now
    guard speaker == nil else { return false }
    speaker = sender
    if address?.networkBytes?.address != sender.networkBytes?.address { address = sender }
    return true
  }

  mutating func noteReport(at now: Int64) { lastPacket = now }

  func isGone(at now: Int64) -> Bool { now - lastPacket > CallPeer.patience }
}
