import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The link to lulld, and in an upgrade to the lulld that follows it.
final class LulldLink {
  /// The lulld at the other end.
  private enum Peer {
    /// The one to which every session belongs.
    case settled
    /// The next one, which has said nothing yet; without it this process ends at that moment.
    case awaited(until: Int64)
    /// The next one, whose programs open their sessions again until then.
    case claiming(until: Int64)
  }

  private let policy = SupervisionPolicy()
  private var channel: MessageChannel
  /// The link to the next lulld, once this one has named it.
  private var next: MessageChannel?
  private var peer = Peer.settled

  init(_ socket: DescriptorBox) { channel = Self.channel(over: socket) }

  private static func channel(over socket: DescriptorBox) -> MessageChannel {
    // A lulld that lets the queue overflow hangs; the next lulld starts another lull-audio.
    MessageChannel(socket, overload: .dropPeer)
  }

  /// False when lulld is gone, or the next one has not come in time.
  var isThere: Bool {
    if case .awaited(let until) = peer, until <= Clock.boottime() { return false }
    return channel.inputEnd == nil
  }

  /// The moment of the next deadline, on CLOCK_BOOTTIME.
  var deadline: Int64? {
    switch peer {
    case .settled: nil
    case .awaited(let until), .claiming(let until): until
    }
  }

  /// Sends a message; nil for news that does not concern this lulld.
  func tell(_ message: MessageFromAudio?) { if let message { channel.tell(message.message()) } }

  // MARK: Receiving

  func watch<Source>(in reactor: Reactor<Source>, as source: Source) throws(SystemError) {
    try channel.watch(in: reactor, as: source)
  }

  func updateInterest<Source>(in reactor: Reactor<Source>) throws(SystemError) {
    try channel.updateInterest(in: reactor)
  }

  func handle(_ readiness: Readiness) { channel.handle(readiness) }

  func receive(into buffer: inout ReceiveBuffer) -> Arrival { channel.receive(into: &buffer) }

  func takeMessage() -> (message: MessageToAudio, descriptor: DescriptorBox?)? {
    while let incoming = channel.next() {
      // Both programs are of one build: what cannot be read was not written by lulld.
      guard case .message(let line, let descriptor) = incoming, let message = try? MessageToAudio.parse(line)
      else { continue }
      if case .awaited = peer {
        peer = .claiming(until: Clock.boottime() + policy.audioClaim.nanoseconds)
      }
      return (message, descriptor)
    }
    return nil
  }

  // MARK: The next lulld

  /// Names the next lulld, which is to come to the other end of the socket.
  func linger(for socket: DescriptorBox) { next = Self.channel(over: socket) }

  /// Goes over to the next lulld when this one is gone; false while it is not, and where none was named.
  func follow<Source>(in reactor: Reactor<Source>, as source: Source) -> Bool {
    guard channel.inputEnd != nil else { return false }
    channel.unwatch(in: reactor)
    guard let next, (try? next.watch(in: reactor, as: source)) != nil else { return false }
    channel.close()
    (channel, self.next) = (next, nil)
    peer = .awaited(until: Clock.boottime() + policy.audioLinger.nanoseconds)
    return true
  }

  /// True once when the time is over in which sessions of the lulld before can be claimed.
  func endsClaims(now: Int64) -> Bool {
    guard case .claiming(let until) = peer, until <= now else { return false }
    peer = .settled
    return true
  }
}
