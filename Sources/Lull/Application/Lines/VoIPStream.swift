internal import LullEngine
internal import LullSystem

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

  private(set) weak var application: Application?
  private let handler: (VoIPStream, Event) -> Void
  private var connection: StreamConnection?

  /// Connects to the first address of the host that answers; each address has 30 s.
  ///
  /// The name is resolved before this returns; nothing else blocks. The application keeps the stream until it
  /// is closed.
  ///
  /// - Parameters:
  ///   - host: a name or an address.
  ///   - port: the port.
  ///   - application: an application that declared `voip`.
  ///   - offload: pings that the daemon answers while the program sleeps.
  ///   - tcpKeepalive: seconds after which the kernel probes the idle connection; the probes wake no program.
  ///   - eventHandler: called in the application's loop.
  /// - Throws: `unknownHost`, `wrongMode` or `ended`.
  public init(
    host: String, port: UInt16, application: Application, offload: Offload = [], tcpKeepalive: Double? = nil,
    eventHandler: @escaping (VoIPStream, Event) -> Void
  ) throws(LullError) {
    guard application.phase != .ended else { throw .ended }
    guard application.modes.contains(.voip) else {
      throw .wrongMode("the program did not declare the mode voip")
    }
    self.host = host
    self.port = port
    self.application = application
    handler = eventHandler
    let addresses: [SocketAddress]
    do throws(ResolveError) {
      addresses = try Socket.resolve(host: host, port: port)
    } catch {
      throw .unknownHost(error.description)
    }
    let connection = StreamConnection(
      in: application, offload: offload, tcpKeepalive: tcpKeepalive.map { Interval(clampingSeconds: $0) }
    ) { [weak self] in self?.handle($0) }
    self.connection = connection
    application.streams.append(self)
    connection.connect(to: host, at: addresses)
    application.settle()
  }

  /// The state of the stream.
  public var status: Status { connection?.status ?? .closed }

  /// The number of bytes that were written and not sent yet.
  public var unsentBytes: Int { connection?.unsentBytes ?? 0 }

  /// Reads the bytes that are there, at most `maximumLength`; empty when there are none.
  public func read(maxLength maximumLength: Int = 65_536) -> [UInt8] {
    connection?.read(atMost: maximumLength) ?? []
  }

  /// Writes bytes: sends those that the connection takes now and the rest as soon as possible, in order.
  /// While the stream is opening all bytes wait.
  ///
  /// - Returns: false when the stream is closed; the bytes are then lost.
  @discardableResult
  public func write(_ bytes: [UInt8]) -> Bool {
    connection?.write(bytes) ?? false
  }

  /// Writes a text in UTF-8; see ``write(_:)-([UInt8])``.
  @discardableResult
  public func write(_ text: String) -> Bool {
    write(Array(text.utf8))
  }

  /// Closes the connection; unsent bytes are lost, and no more events come. Does nothing the second time.
  public func close() {
    application?.streams.removeAll { $0 === self }
    connection?.close()
  }

  private func handle(_ event: Event) {
    switch event {
    case .errorOccurred, .endEncountered: close()
    case .openCompleted, .hasBytesAvailable, .hasSpaceAvailable: break
    }
    application?.tickets.willHandle()
    handler(self, event)
  }
}

extension VoIPStream {
  /// True while the open connection has no room for what was written.
  var hasUnsentBytes: Bool { connection?.hasUnsentBytes ?? false }

  /// Closes the stream when the application is gone.
  func abandon() { connection?.abandon() }

  /// Watches for the events that are of use now.
  func updateInterest() { connection?.updateInterest() }
}
