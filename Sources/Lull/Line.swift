internal import LullEngine
internal import LullSystem

/// A descriptor that is watched while the program sleeps; what becomes ready on it wakes the program.
public final class Line {
  /// The descriptor, which stays the program's own.
  public let descriptor: Int32
  /// What it is for.
  public let kind: LineKind
  /// What the daemon may answer on it while the program sleeps.
  public let offload: Offload

  let tcpKeepalive: Interval?
  /// A descriptor that another loop of the program reads.
  let isForeign: Bool
  /// The supervisor's number; nil while the daemon is away.
  var id: LineID?
  private(set) var isReleased = false
  private weak var application: Application?
  private let onReadable: (() -> Void)?
  private var token: Reactor.Token?
  private let isListening: Bool

  init(
    _ application: Application, _ descriptor: Int32, _ kind: LineKind, _ offload: Offload,
    _ tcpKeepalive: Interval?, isForeign: Bool, onReadable: (() -> Void)?
  ) {
    self.application = application
    self.descriptor = descriptor
    self.kind = kind
    self.offload = offload
    self.tcpKeepalive = tcpKeepalive
    self.isForeign = isForeign
    self.onReadable = onReadable
    isListening = Socket.describe(descriptor).kind == .tcpListen
  }

  /// Another loop or thread of the program reads it, and the application sees nothing of it.
  var isReadElsewhere: Bool { isForeign && onReadable == nil }

  /// Whether it is held: not released, and not lost in a restart of the daemon.
  public var isHeld: Bool { !isReleased }

  /// Lets go of it; to be called before the descriptor is closed. Does nothing the second time.
  public func release() {
    guard !isReleased, let application else { return }
    isReleased = true
    forget(in: application.reactor)
    application.lines.removeAll { $0 === self }
    if let id { application.link.tell(.release(id)) }
    application.settle()
  }

  /// The daemon does not hold it any more.
  func lose() {
    isReleased = true
    id = nil
  }

  /// Watches a foreign descriptor: for its handler, or, while the handlers are suspended, to wake them.
  func watch(in reactor: Reactor, isSuspended: Bool) throws(SystemError) {
    guard isForeign, onReadable != nil || isSuspended else { return forget(in: reactor) }
    guard token == nil else { return }
    token = try reactor.add(descriptor, [.readable, .readHangUp]) { [weak self] in self?.ready($0) }
  }

  /// Lets the kernel probe the connection.
  func startProbes() throws(SystemError) {
    guard let tcpKeepalive else { return }
    let seconds = Int32(clamping: max(1, Int64(tcpKeepalive.seconds.rounded(.up))))
    // The kernel takes at most 32,767.
    try Socket.setKeepAlive(descriptor, idleSeconds: min(seconds, Int32(Int16.max)))
  }

  func forget(in reactor: Reactor) {
    guard let token else { return }
    reactor.remove(token, descriptor)
    self.token = nil
  }

  private func ready(_ readiness: LullSystem.Readiness) {
    guard let application else { return }
    application.wakeIfSuspended(self, readiness)
    guard !isReleased, let onReadable else { return }
    application.tickets.willHandle()
    onReadable()
  }

  /// What the engine is told of a poll's result.
  func reading(_ readiness: LullSystem.Readiness) -> LullEngine.Readiness {
    if isListening { return .accept }
    if readiness.contains(.error) { return .error }
    guard !readiness.isDisjoint(with: [.readHangUp, .hangUp]) else { return .data }
    return ((try? Socket.unreadBytes(descriptor)) ?? 0) > 0 ? .data : .closed
  }
}
