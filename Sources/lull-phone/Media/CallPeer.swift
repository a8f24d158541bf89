import LullSystem

/// The other side of a call: the address to send to, and the senders whose packets belong to the call.
///
/// The peer is the signalled address. Another sender is learnt in the first seconds alone, from packets that
/// go on, and only while nothing comes from the signalled address, which always takes its place back.
/// All times are in nanoseconds of CLOCK_BOOTTIME.
struct CallPeer {
  enum Hearing: Equatable {
    /// It belongs to the call.
    case heard
    /// It belongs to the call, and its sender is heard from now on instead of any other.
    case learnt
    /// Its sender may be learnt later; the packet itself is dropped.
    case waiting
  }

  /// After so much silence, half a minute, a peer counts as gone.
  private static let patience: Int64 = 30_000_000_000
  /// 5 s, in which another sender can be learnt.
  static let learning: Int64 = 5_000_000_000
  /// 1 s, which the signalled address has to itself.
  static let precedence: Int64 = 1_000_000_000
  /// So many packets must have come from a sender before it is learnt.
  static let proof = 5
  private static let mostCandidates = 64

  /// Nil until the first packet of a call without a signalled address.
  private(set) var address: SocketAddress?
  /// For reports that go past the port of the sound; nil while the peer sends none there.
  private(set) var reportAddress: SocketAddress?
  private let signalled: SocketAddress?
  private let begin: Int64
  private var speaker: SocketAddress?
  /// Something has come from the signalled host that its user meant for this call.
  private var signalledIsThere = false
  private var candidates: [(sender: SocketAddress, packets: Int)] = []
  private var lastPacket: Int64

  /// With `address` nil the first sender becomes the peer.
  init(_ address: SocketAddress?, at now: Int64) {
    (self.address, signalled, begin, lastPacket) = (address, address, now, now)
  }

  /// Sound or reports of the peer have come.
  var hasSpoken: Bool { speaker != nil || signalledIsThere }

  func isGone(at now: Int64) -> Bool { now - lastPacket > CallPeer.patience }

  mutating func noteLife(at now: Int64) { lastPacket = now }
}

extension CallPeer {
  /// Sound of the sender belongs to the call, or would if it went on.
  func maySpeak(from sender: SocketAddress, at now: Int64) -> Bool {
    if let speaker { return sender == speaker || isSignalled(sender) }
    guard let signalled, !isSignalled(sender) else { return true }
    return isLearning(at: now) && (!signalledIsThere || sender.host == signalled.host)
  }

  mutating func noteSound(from sender: SocketAddress, at now: Int64) -> Hearing {
    if sender == speaker { return .heard }
    guard signalled == nil || isSignalled(sender) || isProven(sender, at: now) else { return .waiting }
    speaker = sender
    candidates = []
    if isSignalled(sender) { signalledIsThere = true }
    // A peer behind NAT told an address that cannot be reached, so frames go to the source of its packets
    // (symmetric RTP, RFC 4961). A peer at its own address may send from another port than it receives at.
    address = signalled?.host == sender.host ? signalled : sender
    return .learnt
  }

  /// Counts a packet of a sender that was not signalled.
  private mutating func isProven(_ sender: SocketAddress, at now: Int64) -> Bool {
    let index = candidates.firstIndex { $0.sender == sender } ?? newCandidate(sender)
    candidates[index].packets += 1
    return candidates[index].packets >= CallPeer.proof && now - begin >= CallPeer.precedence
  }

  /// When there are too many candidates, the one with the fewest packets goes.
  private mutating func newCandidate(_ sender: SocketAddress) -> Int {
    if candidates.count == CallPeer.mostCandidates,
      let least = candidates.indices.min(by: { candidates[$0].packets < candidates[$1].packets })
    {
      candidates.remove(at: least)
    }
    candidates.append((sender, 0))
    return candidates.count - 1
  }

  private func isLearning(at now: Int64) -> Bool { now - begin < CallPeer.learning }

  private func isSignalled(_ sender: SocketAddress) -> Bool {
    sender.host == signalled?.host && sender.port == signalled?.port
  }
}

extension CallPeer {
  func mayReport(from sender: SocketAddress, on port: MediaSocket.Port) -> Bool {
    switch port {
    case .sound: return sender == speaker || isSignalled(sender)
    case .reports:
      if let reportAddress, address?.host == reportAddress.host { return sender == reportAddress }
      guard sender.host == signalled?.host else { return speaker != nil && sender.host == speaker?.host }
      // On a host that others may use, too, the port must be the one next to that of the sound.
      return sender.isNext(to: signalled) || sender.isNext(to: speaker)
    }
  }

  mutating func noteReport(from sender: SocketAddress, on port: MediaSocket.Port, at now: Int64) {
    lastPacket = now
    if port == .reports { reportAddress = sender }
    guard sender.host == signalled?.host else { return }
    signalledIsThere = true
    guard let speaker, speaker.host != sender.host else { return }
    // The signalled host is there after all: it is sent to, and another one is heard no more.
    (self.speaker, address) = (nil, signalled)
  }
}

extension SocketAddress {
  /// Without the port, in network order.
  fileprivate var host: [UInt8]? { networkBytes?.address }

  /// The port is the one after that of the other address, on the same host.
  fileprivate func isNext(to other: SocketAddress?) -> Bool {
    guard let other, let port, let first = other.port, host == other.host else { return false }
    return first < .max && port == first + 1
  }
}
