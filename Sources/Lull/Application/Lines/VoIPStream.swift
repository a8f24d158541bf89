internal import LullEngine
package import LullSystem

/// A TCP connection of a VoIP service: while the program sleeps, bytes that arrive on it wake the program.
///
/// The stream is held as a line as soon as it is open, and released before it is closed. Its events come
/// inside the application's loop, one by one: `openCompleted`; `hasSpaceAvailable` once, and again when bytes
/// that could not be sent at once have been sent; `hasBytesAvailable` again and again while unread bytes are
/// there; at last `endEncountered` or `errorOccurred`, after which the stream is closed.
public final class VoIPStream {
  /// The events of a stream.
  public enum Event: Equatable, Sendable {
    /// The connection is made.
    case openCompleted
    /// Bytes can be read.
    case hasBytesAvailable
    /// Everything written so far has been sent.
    case hasSpaceAvailable
    /// The connection could not be made, or broke; the stream is closed.
    case errorOccurred(LullError)
    /// The peer has finished; the stream is closed.
    case endEncountered
  }

  /// The state of a stream.
  public enum Status: Equatable, Sendable {
    case opening
    case open
    case closed
  }

  /// The host, as it was given.
  public let host: String
  /// The port.
  public let port: UInt16

  /// The bytes that may wait to be sent when nothing else is asked for: 16 MiB.
  public static let defaultOutputLimit = 1 << 24

  package let number: UInt64
  /// Told in place of `hasSpaceAvailable`, which then takes back no word that the program has finished.
  package var onSpace: (() -> Void)?
  /// Told once the stream is closed, after its last event.
  package var onClose: (() -> Void)?

  private(set) weak var application: Application?
  private let handler: (VoIPStream, Event) -> Void
  private var connection: StreamConnection?

  /// Connects to the first address of the host that answers; each address has 30 s.
  ///
  /// Nothing blocks: a name is resolved beside the loop, for 30 s at most, and a name without an address is
  /// told by `errorOccurred`. The application keeps the stream until it is closed.
  ///
  /// - Parameters:
  ///   - host: a name or an address.
  ///   - port: the port.
  ///   - application: an application that declared `voip`.
  ///   - offload: pings that the daemon answers while the program sleeps.
  ///   - tcpKeepalive: seconds after which the kernel probes the idle connection; the probes wake no program.
  ///   - outputLimit: the bytes that may wait to be sent; see ``write(_:)-([UInt8])``.
  ///   - name: the name by which ``Application/restoredLines`` has the stream after a restart.
  ///   - eventHandler: called in the application's loop.
  /// - Throws: `wrongMode` or `ended`.
  public convenience init(
    host: String, port: UInt16, application: Application, offload: Offload = [], tcpKeepalive: Double? = nil,
    outputLimit: Int = VoIPStream.defaultOutputLimit, name: String? = nil,
    eventHandler: @escaping (VoIPStream, Event) -> Void
  ) throws(LullError) {
    guard application.phase != .ended else { throw .ended }
    guard application.modes.contains(.voip) else {
      throw .wrongMode("the program did not declare the mode voip")
    }
    let traits = LineTraits(
      offload: offload, tcpKeepalive: tcpKeepalive.map { Interval(clampingSeconds: $0) }, name: name)
    self.init(host, port: port, traits, in: application, outputLimit: outputLimit, handler: eventHandler)
    connection?.connect(to: host, port: port)
    application.settle()
  }

  convenience init(
    restoring descriptor: DescriptorBox, from address: SocketAddress, _ traits: LineTraits, _ state: [UInt8],
    application: Application, outputLimit: Int, eventHandler: @escaping (VoIPStream, Event) -> Void
  ) throws(LullError) {
    guard application.phase != .ended else { throw .ended }
    let text = address.description
    let host = String(text[..<(text.lastIndex(of: ":") ?? text.endIndex)])
    self.init(
      host, port: address.port ?? 0, traits, in: application, outputLimit: outputLimit, handler: eventHandler)
    do throws(LullError) {
      try connection?.restore(descriptor, from: address, state)
    } catch {
      application.streams.removeAll { $0 === self }
      throw error
    }
    application.settle()
  }

  private init(
    _ host: String, port: UInt16, _ traits: LineTraits, in application: Application, outputLimit: Int,
    handler: @escaping (VoIPStream, Event) -> Void
  ) {
    (self.host, self.port, self.handler, self.application) = (host, port, handler, application)
    number = application.newToken()
    connection = StreamConnection(in: application, traits, outputLimit: outputLimit) { [weak self] in
      self?.handle($0)
    }
    application.streams.append(self)
  }

  /// See ``setState(_:)``.
  public var state: [UInt8] { connection?.line?.state ?? [] }

  /// Sets the program's own state of the open stream; see ``Line/setState(_:)``.
  ///
  /// - Throws: `refused` with the reason, also for a stream that is not open.
  public func setState(_ bytes: [UInt8]) throws(LullError) {
    guard let line = connection?.line else { throw .refused("the stream is not open") }
    try line.setState(bytes)
  }

  /// The state of the connection.
  public var status: Status { connection?.status ?? .closed }

  /// The number of bytes that were written and not sent yet.
  public var unsentBytes: Int { connection?.unsentBytes ?? 0 }

  /// Reads the bytes that are there, at most `maximumLength`.
  public func read(maxLength maximumLength: Int = 65_536) -> [UInt8] {
    connection?.read(atMost: maximumLength) ?? []
  }

  /// Writes bytes: sends those that the connection takes now and the rest as soon as possible, in order.
  /// While the stream is opening all bytes wait. When more than the output limit would wait, the peer takes
  /// too little: the stream is closed, and the next event is `errorOccurred` with `limitReached`.
  ///
  /// - Returns: false when the stream is closed; the bytes are then lost.
  @discardableResult
  public func write(_ bytes: [UInt8]) -> Bool { connection?.write(bytes) ?? false }

  /// Writes a text in UTF-8; see ``write(_:)-([UInt8])``.
  @discardableResult
  public func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// Closes the connection; unsent bytes are lost, and no more events come. Does nothing the second time.
  public func close() {
    disconnect()
    closed()
  }

  private func disconnect() {
    application?.streams.removeAll { $0 === self }
    connection?.close()
  }

  private func closed() {
    onClose?()
    onClose = nil
  }

  private func handle(_ event: Event) {
    if event == .hasSpaceAvailable, let onSpace { return onSpace() }
    switch event {
    case .errorOccurred, .endEncountered:
      disconnect()
      application?.tickets.willHandle()
      handler(self, event)
      closed()
    case .openCompleted, .hasBytesAvailable, .hasSpaceAvailable:
      application?.tickets.willHandle()
      handler(self, event)
    }
  }
}

extension VoIPStream {
  /// Empty before the host's name is resolved.
  package var addresses: [SocketAddress] { connection?.addresses ?? [] }

  /// The next event tells it.
  package var failure: LullError? { connection?.failure }

  /// Bytes and the end stay where they are while the task that takes them is busy.
  package var isReadingPaused: Bool {
    get { connection?.isReadingPaused ?? false }
    set { connection?.isReadingPaused = newValue }
  }

  var hasUnsentBytes: Bool { connection?.hasUnsentBytes ?? false }

  func abandon() {
    connection?.abandon()
    closed()
  }

  func updateInterest() { connection?.updateInterest() }
}
