internal import LullEngine
internal import LullSystem

/// A TCP connection of a VoIP service: while the program sleeps, bytes that arrive on it wake the program.
///
/// It is held as soon as it is open, and released before it is closed. Its events come inside the application's
/// loop, one by one: `openCompleted`; `hasSpaceAvailable` once, and again after what could not be sent at once has
/// been sent; `hasBytesAvailable` again and again while unread bytes are there; at last `endEncountered` or
/// `errorOccurred`, after which the stream is closed.
public final class VoIPStream {
  /// What happens on a stream.
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

  /// Where a stream stands.
  public enum Status: Equatable, Sendable {
    case opening
    case open
    case closed
  }

  /// The host, as it was given.
  public let host: String
  /// The port.
  public let port: UInt16

  private enum State {
    case connecting(Connection, rest: ArraySlice<SocketAddress>, timeout: TimerToken)
    case open(Connection, Line)
    /// No address could even be tried; the event follows.
    case failing
    case closed
  }

  /// A socket in the application's loop.
  private struct Connection {
    let socket: DescriptorBox
    let address: SocketAddress
    let token: Reactor.Token
  }

  private(set) weak var application: Application?
  private let handler: (VoIPStream, Event) -> Void
  private let offload: Offload
  private let tcpKeepalive: Interval?
  private var state = State.closed
  private var output = OutputQueue()
  private var wantsSpaceEvent = true
  private var readError: SystemError?
  private var watched: Interest = .writable

  private static let connectLimit = 30.0
  private static let arrival: Interest = [.readable, .readHangUp]

  /// Begins a connection to the first address of the host that answers, each of which has 30 s.
  ///
  /// The name is resolved before this returns; nothing else waits. The application keeps the stream until it is closed.
  ///
  /// - Parameters:
  ///   - host: a name or an address.
  ///   - port: the port.
  ///   - application: one that declared `voip`.
  ///   - offload: pings that the daemon answers while the program sleeps.
  ///   - tcpKeepalive: lets the kernel probe the idle connection after so many seconds, which wakes nobody.
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
    self.offload = offload
    self.tcpKeepalive = tcpKeepalive.map { Interval(clampingSeconds: $0) }
    handler = eventHandler
    let addresses: [SocketAddress]
    do throws(ResolveError) {
      addresses = try Socket.resolve(host: host, port: port)
    } catch {
      throw .unknownHost(error.description)
    }
    application.streams.append(self)
    connect(to: addresses[...], after: nil)
    application.settle()
  }

  /// Where the stream stands.
  public var status: Status {
    switch state {
    case .connecting, .failing: .opening
    case .open: .open
    case .closed: .closed
    }
  }

  /// How many bytes were written and not sent yet.
  public var unsentBytes: Int { output.count }

  /// Reads what is there, at most `maximumLength` bytes; empty when nothing is.
  public func read(maxLength maximumLength: Int = 65_536) -> [UInt8] {
    guard case .open(let connection, _) = state, let application else { return [] }
    do throws(SystemError) {
      let outcome = try Socket.read(
        connection.socket.raw, into: &application.buffer, atMost: maximumLength)
      guard case .bytes = outcome else { return [] }
      return Array(application.buffer.received)
    } catch {
      // The kernel tells it once; the event follows.
      readError = error
      return []
    }
  }

  /// Writes bytes: sends what the connection takes now and the rest as soon as it can, in order. While the stream is
  /// opening everything waits.
  ///
  /// - Returns: false when the stream is closed; the bytes are then lost.
  @discardableResult
  public func write(_ bytes: [UInt8]) -> Bool {
    switch state {
    case .connecting, .failing: output.append(bytes)
    case .open:
      output.append(bytes)
      flush()
    case .closed: return false
    }
    return true
  }

  /// Writes a text in UTF-8; see ``write(_:)-([UInt8])``.
  @discardableResult
  public func write(_ text: String) -> Bool {
    write(Array(text.utf8))
  }

  /// Closes the connection; what has not been sent is lost. No event comes any more. Does nothing the second time.
  public func close() {
    application?.streams.removeAll { $0 === self }
    disconnect()
  }
}

extension VoIPStream {
  var hasUnsentBytes: Bool {
    if case .open = state { output.count > 0 } else { false }
  }

  /// The application is gone.
  func abandon() {
    if case .connecting(_, _, let timeout) = state { timeout.cancel() }
    state = .closed
  }

  /// Watches for what is of use now; while the handlers are suspended only for what wakes them.
  func updateInterest() {
    guard let application else { return }
    let isSuspended = application.link.isSuspended
    switch state {
    case .connecting(let connection, _, _):
      // A frozen program does not notice that its connection is made.
      watch(connection, isSuspended ? .oneShot : .writable)
    case .open(let connection, _):
      let wantsRoom = !isSuspended && (wantsSpaceEvent || output.count > 0)
      watch(connection, wantsRoom ? VoIPStream.arrival.union(.writable) : VoIPStream.arrival)
    case .failing, .closed: break
    }
  }

  private func watch(_ connection: Connection, _ interest: Interest) {
    guard interest != watched else { return }
    watched = interest
    application?.reactor.modify(connection.token, connection.socket.raw, interest)
  }

  private func emit(_ event: Event) {
    application?.tickets.willHandle()
    handler(self, event)
  }

  private func finish(_ event: Event) {
    close()
    emit(event)
  }

  private func disconnect() {
    let last = state
    state = .closed
    output.removeAll()
    switch last {
    case .connecting(let connection, _, let timeout):
      timeout.cancel()
      drop(connection)
    case .open(let connection, let line):
      line.release()
      drop(connection)
    case .failing, .closed: break
    }
  }

  private func drop(_ connection: Connection) {
    application?.reactor.remove(connection.token, connection.socket.raw)
    connection.socket.close()
  }
}

// Opening.
extension VoIPStream {
  /// Tries the addresses one after the other; `failure` is what the last one came to.
  private func connect(to addresses: ArraySlice<SocketAddress>, after failure: LullError?) {
    guard let application else { return }
    var failure = failure
    for (index, address) in zip(addresses.indices, addresses) {
      do throws(SystemError) {
        let socket = try DescriptorBox(Socket.connectNonBlocking(address))
        try Socket.setNoDelay(socket.raw)
        let token = try application.reactor.add(socket.raw, .writable) { [weak self] in self?.ready($0) }
        let timeout = application.schedule(after: VoIPStream.connectLimit) { [weak self] in
          self?.connectionFailed(.timedOut("connect"))
        }
        let connection = Connection(socket: socket, address: address, token: token)
        watched = .writable
        state = .connecting(connection, rest: addresses[(index + 1)...], timeout: timeout)
        return
      } catch {
        failure = self.failure(error, address)
      }
    }
    state = .failing
    let error = failure ?? .unknownHost("\(host): no address")
    application.deferred.append { [weak self] in self?.finish(.errorOccurred(error)) }
    application.settle()
  }

  private func connectionFailed(_ error: SystemError) {
    guard case .connecting(let connection, let rest, let timeout) = state else { return }
    timeout.cancel()
    drop(connection)
    connect(to: rest, after: failure(error, connection.address))
  }

  private func failure(_ error: SystemError, _ address: SocketAddress) -> LullError {
    .system(code: error.code, "connect to \(address): \(error.message)")
  }

  private func connected() {
    guard case .connecting(let connection, _, let timeout) = state, let application else { return }
    if let error = (try? Socket.connectError(connection.socket.raw)) ?? nil {
      return connectionFailed(error)
    }
    timeout.cancel()
    let line = Line(
      application, connection.socket.raw, .voip, offload, tcpKeepalive, isForeign: false, onReadable: nil)
    do throws(LullError) {
      do throws(SystemError) { try line.startProbes() } catch { throw LullError(error) }
      try application.hold(line)
    } catch {
      return finish(.errorOccurred(error))
    }
    state = .open(connection, line)
    emit(.openCompleted)
    // In the same turn: a program that finishes at `openCompleted` would sleep before it could write.
    roomAvailable()
    updateInterest()
  }
}

// Reading and writing.
extension VoIPStream {
  private func ready(_ readiness: LullSystem.Readiness) {
    switch state {
    case .connecting where application?.link.isSuspended == true: break
    case .connecting: connected()
    case .open(_, let line):
      application?.wakeIfSuspended(line, readiness)
      if readiness.contains(.writable) { roomAvailable() }
      if readiness != .writable { input(readiness) }
    case .failing, .closed: break
    }
  }

  private func roomAvailable() {
    guard case .open = state else { return }
    flush()
    guard case .open = state, output.count == 0, wantsSpaceEvent else { return }
    wantsSpaceEvent = false
    emit(.hasSpaceAvailable)
    updateInterest()
  }

  /// Bytes come before the end and before an error.
  private func input(_ readiness: LullSystem.Readiness) {
    guard case .open(let connection, _) = state else { return }
    let raw = connection.socket.raw
    let isEnding = !readiness.isDisjoint(with: [.readHangUp, .hangUp, .error])
    guard isEnding, ((try? Socket.unreadBytes(raw)) ?? 0) == 0 else { return emit(.hasBytesAvailable) }
    if let error = readError ?? (try? Socket.connectError(raw)) ?? nil {
      finish(.errorOccurred(.system(code: error.code, "\(connection.address): \(error.message)")))
    } else {
      finish(.endEncountered)
    }
  }

  /// Sends what the connection takes.
  private func flush() {
    guard case .open(let connection, _) = state else { return }
    output.send(to: connection.socket.raw)
    if output.count > 0 { wantsSpaceEvent = true }
    updateInterest()
  }
}
