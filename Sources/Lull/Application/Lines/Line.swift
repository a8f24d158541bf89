internal import LullChannel
internal import LullEngine
internal import LullInspect
internal import LullSystem
internal import LullWire

/// A descriptor that is watched while the program sleeps, and whose readiness wakes the program.
public final class Line {
  /// The descriptor, which stays the program's own.
  public let descriptor: Int32
  /// The name by which the program finds the line again after a restart.
  public var name: String? { traits.name }
  /// The purpose: a service's connection or an accessory.
  public var purpose: LinePurpose { traits.purpose }
  /// The pings that the daemon may answer on the line while the program sleeps.
  public var offload: Offload { traits.offload }
  /// The program's own state of the line, which the next life of the program gets with it.
  public private(set) var state: [UInt8]

  let traits: LineTraits
  /// False for the connection of a ``VoIPStream``.
  let isForeign: Bool
  /// Nil while the daemon is away.
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
    _ application: Application, descriptor: Int32, _ traits: LineTraits, state: [UInt8] = [],
    isForeign: Bool, onReadable: (() -> Void)?
  ) {
    self.application = application
    self.descriptor = descriptor
    (self.traits, self.state) = (traits, state)
    self.isForeign = isForeign
    self.onReadable = onReadable
    isListening = Socket.describe(descriptor).kind == .tcpListen
  }

  var request: Request {
    .hold(
      .init(
        descriptor: descriptor, type: purpose, offload: offload, tcpKeepAlive: traits.tcpKeepalive,
        name: name,
        isEncrypted: traits.isEncrypted))
  }

  /// Another loop or thread of the program reads the descriptor, unseen by the application.
  var isReadElsewhere: Bool { isForeign && onReadable == nil }

  /// False once the line was released, or lost in a restart of the daemon.
  public var isHeld: Bool { !isReleased }

  /// Releases the line; to be called before the descriptor is closed. Does nothing the second time.
  public func release() {
    guard !isReleased, let application else { return }
    isReleased = true
    forget(in: application.loop)
    application.lines.removeAll { $0 === self }
    if let id { application.link.tell(.release(line: id)) }
    application.settle()
  }

  /// Sets the program's own state of the line, such as a SIP dialogue: at most 4096 bytes, which the next
  /// life of the program gets with the line when Lull keeps it.
  ///
  /// - Throws: `refused` with the reason for more bytes, for a released line, and for an encrypted one, whose
  ///   keys end with the program.
  public func setState(_ bytes: [UInt8]) throws(LullError) {
    guard !isReleased else { throw .refused("the line was released") }
    guard !traits.isEncrypted else {
      throw .refused("an encrypted line has no state: its keys end with the program, and it is not kept")
    }
    guard bytes.count <= Limits.maximumLineState else {
      throw .refused("a state of \(bytes.count) bytes is refused: at most \(Limits.maximumLineState) bytes")
    }
    state = bytes
    try tellState()
  }

  /// A daemon that is away is told when it is back.
  func tellState() throws(LullError) {
    guard let id, let application else { return }
    let file: DescriptorBox
    do throws(SystemError) {
      file = DescriptorBox(try Files.memoryFile(name: "lull-line-state", state))
    } catch {
      throw LullError(error)
    }
    _ = try application.askIfUp(.lineState(line: id), descriptor: file.raw)
  }

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

  func startProbes() throws(SystemError) {
    guard let tcpKeepalive = traits.tcpKeepalive else { return }
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

  func reading(_ readiness: Readiness) -> LineReadiness {
    if isListening { return .accept }
    if readiness.contains(.error) { return .error }
    guard !readiness.isDisjoint(with: [.readHangUp, .hangUp]) else { return .data }
    return ((try? Socket.unreadBytes(descriptor)) ?? 0) > 0 ? .data : .closed
  }
}

struct LineTraits {
  var purpose = LinePurpose.voip
  var offload: Offload = []
  var tcpKeepalive: Interval?
  var name: String?
  /// The keys of the connection end with the program.
  var isEncrypted = false
}
