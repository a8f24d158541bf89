import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The link to lulld, and in an upgrade to the lulld that follows it.
final class LulldLink {
  private enum State {
    /// Every session belongs to the lulld at the other end.
    case settled
    /// The next lulld has said nothing yet; without it this process ends at that moment.
    case awaited(until: Int64)
    /// The programs of the next lulld open their sessions again until then.
    case claiming(until: Int64)
  }

  private let policy = SupervisionPolicy()
  private var channel: MessageChannel
  /// The link to the next lulld, once this one has named it.
  private var next: MessageChannel?
  private var state = State.settled

  init(_ socket: DescriptorBox) { channel = Self.channel(over: socket) }

  private static func channel(over socket: DescriptorBox) -> MessageChannel {
    // A lulld that lets the queue overflow hangs; the next lulld starts another lull-audio.
    MessageChannel(socket, overload: .dropPeer)
  }

  /// False when lulld is gone, or the next one has not come in time.
  var isThere: Bool {
    if case .awaited(let until) = state, until <= Clock.boottime() { return false }
    return channel.inputEnd == nil
  }

  var deadline: Int64? {
    switch state {
    case .settled: nil
    case .awaited(let until), .claiming(let until): until
    }
  }

  /// Nil stands for news that does not concern this lulld.
  func tell(_ message: MessageFromAudio?) { if let message { channel.tell(message.message()) } }

  // MARK: Receiving

  func watch(in reactor: Reactor<Openings.Source>) throws(SystemError) {
    try channel.watch(in: reactor, as: .link)
  }

  func updateInterest(in reactor: Reactor<Openings.Source>) throws(SystemError) {
    try channel.updateInterest(in: reactor)
  }

  func handle(_ readiness: Readiness) { channel.handle(readiness) }

  func receive(into buffer: inout ReceiveBuffer) -> Arrival { channel.receive(into: &buffer) }

  func takeMessage() -> (message: MessageToAudio, descriptor: DescriptorBox?)? {
    while let incoming = channel.next() {
      // Both programs are of one build: what cannot be read was not written by lulld.
      guard case .message(let line, let descriptor) = incoming, let message = try? MessageToAudio.parse(line)
      else { continue }
      if case .awaited = state {
        state = .claiming(until: Clock.boottime() + policy.audioClaim.nanoseconds)
      }
      return (message, descriptor)
    }
    return nil
  }

  // MARK: The next lulld

  /// The next lulld is to come to the other end of the socket.
  func linger(for socket: DescriptorBox) { next = Self.channel(over: socket) }

  /// Goes over to the next lulld; false while this one is there, or when it has named no next one.
  func follow(in reactor: Reactor<Openings.Source>) -> Bool {
    guard channel.inputEnd != nil else { return false }
    channel.unwatch(in: reactor)
    guard let next, (try? next.watch(in: reactor, as: .link)) != nil else { return false }
    channel.close()
    (channel, self.next) = (next, nil)
    state = .awaited(until: Clock.boottime() + policy.audioLinger.nanoseconds)
    return true
  }

  /// True once, when the time is over in which sessions of the lulld before can be claimed.
  func endsClaims(now: Int64) -> Bool {
    guard case .claiming(let until) = state, until <= now else { return false }
    state = .settled
    return true
  }
}
