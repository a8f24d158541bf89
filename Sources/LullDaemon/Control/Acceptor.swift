import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The listening socket, and the descriptors that are reserved so that the operator can always come in.
struct Acceptor {
  enum Arrival {
    case nobody
    case came(DescriptorBox, isLent: Bool)
    case refused
  }

  /// Connections that are accepted in one turn: a storm of them must not keep other clients waiting. The
  /// number is greater than the queue of the listener, so that the last connection of a program is accepted
  /// before its freeze.
  static let acceptedAtOnce = 160

  let listener: DescriptorBox
  private let pause: Int64
  private let reactor: DaemonReactor
  private var registration: Slot?
  private let journal: Journal
  /// The path of the socket as the kernel writes it.
  private let address: String
  private var reserve = DescriptorReserve()
  private(set) var opensAgainAt: Int64?

  init(_ listener: DescriptorBox, _ services: SharedServices) {
    (self.listener, reactor, journal) = (listener, services.reactor, services.journal)
    pause = services.policy.supervision.acceptPause.nanoseconds
    address = journal.ignoring([], try Socket.localAddress(listener.raw))?.description ?? ""
    reserve.fill()
  }

  mutating func open() throws(SystemError) {
    registration = try reactor.add(listener.raw, .readable, as: .listener)
  }

  mutating func accept() -> Arrival {
    do {
      guard let taken = try acceptBox() else { return .nobody }
      return .came(taken, isLent: false)
    } catch {
      return error.isOutOfDescriptors ? acceptFromReserve() : .nobody
    }
  }

  private func acceptBox() throws(SystemError) -> DescriptorBox? {
    guard let taken = try Socket.accept(from: listener.raw) else { return nil }
    return DescriptorBox(taken)
  }

  /// Accepts with reserved descriptors. A connection that is not taken would wait in the queue, and the loop
  /// would spin on the listener.
  private mutating func acceptFromReserve() -> Arrival {
    let isLent = reserve.lend()
    guard isLent || reserve.lendOne() else {
      close()
      return .nobody
    }
    guard let descriptor = journal.ignoring(.closed, try acceptBox()) ?? nil else {
      reserve.fill()
      close()
      return .nobody
    }
    if isLent { return .came(descriptor, isLent: true) }
    refuse(descriptor, .outOfDescriptors)
    reserve.fill()
    return .refused
  }

  mutating func takeBack() { reserve.fill() }

  func refuse(_ descriptor: DescriptorBox, _ rejection: Rejection) {
    var bytes: [UInt8] = []
    rejection.reply.message.encodeTruncating(into: &bytes)
    journal.ignoring(.closed, try UnixSocket.send(bytes, to: descriptor.raw))
    descriptor.close()
  }

  /// Stops watching the listener: not even one descriptor is left, so it stays ready, and the loop would spin
  /// on it.
  private mutating func close() {
    watch([])
    opensAgainAt = Clock.boottime() + pause
  }

  mutating func openAgain(at now: Int64) {
    guard let due = opensAgainAt, due <= now else { return }
    opensAgainAt = nil
    watch(.readable)
  }

  private func watch(_ interest: Interest) {
    guard let registration else { return }
    journal.ignoring(.removed, try reactor.modify(registration, interest))
  }

  /// True when a descriptor is a connection to this daemon: if the daemon held it open itself, the connection
  /// would never end.
  func leadsHere(_ descriptor: DescriptorBox) -> Bool {
    guard !address.isEmpty else { return false }
    return (try? Socket.peerAddress(descriptor.raw))?.description == address
  }
}

/// Descriptors reserved for the operator: when a program has all others, `lull status` and `lull quit`
/// still work.
struct DescriptorReserve {
  /// The descriptors for one operator: a connection, its process, and two for its requests.
  private static let loan = 4
  private static let loans = 4

  private var reserved: [DescriptorBox] = []

  mutating func fill() {
    // One more: a connection can be taken and refused even when all others are lent.
    while reserved.count < Self.loan * Self.loans + 1, let more = try? Files.openNull() {
      reserved.append(DescriptorBox(more))
    }
  }

  mutating func lend() -> Bool {
    guard reserved.count > Self.loan else { return false }
    for box in reserved.suffix(Self.loan) { box.close() }
    reserved.removeLast(Self.loan)
    return true
  }

  mutating func lendOne() -> Bool {
    guard let last = reserved.popLast() else { return false }
    last.close()
    return true
  }
}
