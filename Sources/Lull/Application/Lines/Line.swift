internal import LullChannel
internal import LullEngine
internal import LullInspect
internal import LullSystem

/// A descriptor that is watched while the program sleeps, and whose readiness wakes the program.
public final class Line {
  /// The descriptor, which stays the program's own.
  public let descriptor: Int32
  /// The purpose: a service's connection or an accessory.
  public let purpose: LinePurpose
  /// The pings that the daemon may answer on the line while the program sleeps.
  public let offload: Offload

  let tcpKeepalive: Interval?
  /// True for a descriptor of the program's own, false for the connection of a ``VoIPStream``.
  let isForeign: Bool
  /// The supervisor's number; nil while the daemon is away.
  var id: LineID?
  private(set) var isReleased = false
  private weak var application: Application?
  private let onReadable: (() -> Void)?
  /// Called when the descriptor has room or its end has come. While this is set, ``onReadable`` is not
  /// called: a peer that takes no answer is not read. Meanwhile the program does not tell that it has
  /// finished. Only for a line whose loop is the application's.
  package var onWritable: (() -> Void)? {
    didSet {
      guard let registration, (onWritable == nil) != (oldValue == nil) else { return }
      application?.loop.modify(registration, interest)
    }
  }
  private var registration: Slot?
  private let isListening: Bool

  init(
    _ application: Application, descriptor: Int32, purpose: LinePurpose, offload: Offload,
    tcpKeepalive: Interval?, isForeign: Bool, onReadable: (() -> Void)?
  ) {
    self.application = application
    self.descriptor = descriptor
    self.purpose = purpose
    self.offload = offload
    self.tcpKeepalive = tcpKeepalive
    self.isForeign = isForeign
    self.onReadable = onReadable
    isListening = Socket.describe(descriptor).kind == .tcpListen
  }

  /// True when another loop or thread of the program reads the descriptor, unseen by the application.
  var isReadElsewhere: Bool { isForeign && onReadable == nil }

  /// True while the line is held: not released, and not lost in a restart of the daemon.
  public var isHeld: Bool { !isReleased }

  /// Releases the line; to be called before the descriptor is closed. Does nothing the second time.
  public func release() {
    guard !isReleased, let application else { return }
    isReleased = true
    forget(in: application.loop)
    application.lines.removeAll { $0 === self }
    if let id { application.link.tell(.release(id)) }
    application.settle()
  }

  /// Notes that the daemon does not hold the line any more.
  func lose() {
    isReleased = true
    id = nil
  }

  /// Watches a foreign descriptor: for its handler, or, while the handlers are suspended, to wake them.
  func watch(in loop: EventLoop, isSuspended: Bool) throws(SystemError) {
    guard isForeign, onReadable != nil || isSuspended else { return forget(in: loop) }
    guard registration == nil else { return }
    registration = try loop.add(descriptor, interest) { [weak self] in self?.ready($0) }
  }

  private var interest: Interest { onWritable == nil ? [.readable, .readHangUp] : .writable }

  /// Lets the kernel probe the connection.
  func startProbes() throws(SystemError) {
    guard let tcpKeepalive else { return }
    let seconds = Int32(clamping: max(1, Int64(tcpKeepalive.seconds.rounded(.up))))
    // The kernel takes at most 32,767.
    try Socket.setKeepAlive(descriptor, idleSeconds: min(seconds, Int32(Int16.max)))
  }

  func forget(in loop: EventLoop) {
    guard let registration else { return }
    loop.remove(registration)
    self.registration = nil
  }

  private func ready(_ readiness: Readiness) {
    guard let application else { return }
    if let onWritable { return onWritable() }
    application.wakeIfSuspended(self, readiness)
    guard !isReleased, let onReadable else { return }
    application.tickets.willHandle()
    onReadable()
  }

  /// The engine's word for a poll's result.
  func reading(_ readiness: Readiness) -> LineReadiness {
    if isListening { return .accept }
    if readiness.contains(.error) { return .error }
    guard !readiness.isDisjoint(with: [.readHangUp, .hangUp]) else { return .data }
    return ((try? Socket.unreadBytes(descriptor)) ?? 0) > 0 ? .data : .closed
  }
}
