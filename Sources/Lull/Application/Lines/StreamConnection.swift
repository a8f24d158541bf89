internal import LullSystem

/// The connection of a stream: the name's way to addresses, the attempt to connect, then the held line and
/// its bytes.
final class StreamConnection {
  private enum State {
    case resolving(NameLookup)
    case connecting(ConnectionAttempt)
    case open(StreamSocket, Line)
    /// The error is told in the next turn.
    case failed(LullError)
    case closed
  }

  private static let arrival: Interest = [.readable, .readHangUp]

  private let traits: LineTraits
  private weak var application: Application?
  private let outputLimit: Int
  private let onEvent: (VoIPStream.Event) -> Void
  private var state = State.closed
  private(set) var addresses: [SocketAddress] = []
  private var output = OutputQueue()
  private var wantsSpaceEvent = true
  var isReadingPaused = false {
    didSet {
      isBrokenWhilePaused = false
      updateInterest()
    }
  }
  /// The kernel reports a broken connection again and again, whatever is watched for.
  private var isBrokenWhilePaused = false

  /// `onEvent` is called in the application's loop. After an event that ends the stream the connection is to
  /// be closed.
  init(
    in application: Application, _ traits: LineTraits, outputLimit: Int,
    onEvent: @escaping (VoIPStream.Event) -> Void
  ) {
    (self.application, self.traits) = (application, traits)
    (self.outputLimit, self.onEvent) = (outputLimit, onEvent)
  }

  var status: VoIPStream.Status {
    switch state {
    case .resolving, .connecting: .opening
    case .open: .open
    case .failed, .closed: .closed
    }
  }

  var failure: LullError? { if case .failed(let error) = state { error } else { nil } }
  var unsentBytes: Int { output.count }

  /// An open connection has no room for what was written.
  var hasUnsentBytes: Bool { if case .open = state { output.count > 0 } else { false } }

  /// Connects to a host: at once when it is an address, else when its name is resolved.
  func connect(to host: String, port: UInt16) {
    guard let application else { return }
    if let address = try? Socket.resolve(host: host, port: port, onlyNumeric: true) {
      return connect(to: host, at: address)
    }
    do throws(LullError) {
      state = .resolving(
        try NameLookup.begin(host, port: port, in: application) { [weak self] in
          switch $0 {
          case .success(let addresses): self?.connect(to: host, at: addresses)
          case .failure(let error): self?.onEvent(.errorOccurred(error))
          }
        })
    } catch {
      fail(error)
    }
  }

  private func connect(to host: String, at addresses: [SocketAddress]) {
    guard let application else { return }
    self.addresses = addresses
    state = .connecting(
      ConnectionAttempt(to: host, at: addresses, in: application) { [weak self] in
        self?.ready($0)
      } onFailure: { [weak self] error in
        self?.onEvent(.errorOccurred(error))
      })
  }

  /// Goes on with a connection of the program's last life. Its descriptor stays the caller's when this
  /// throws.
  func restore(_ descriptor: DescriptorBox, from address: SocketAddress, _ state: [UInt8]) throws(LullError) {
    guard let application else { throw .ended }
    let socket: StreamSocket
    do throws(SystemError) {
      socket = try StreamSocket(restoring: descriptor, from: address, in: application.loop) { [weak self] in
        self?.ready($0)
      }
    } catch {
      throw LullError(error)
    }
    do throws(LullError) {
      self.state = .open(socket, try hold(socket, state, in: application))
    } catch {
      socket.leave()
      throw error
    }
    addresses = [address]
    updateInterest()
  }

  var line: Line? { if case .open(_, let line) = state { line } else { nil } }

  func read(atMost limit: Int) -> [UInt8] {
    guard case .open(let socket, _) = state, let application else { return [] }
    return socket.read(into: &application.buffer, atMost: limit)
  }

  /// Takes bytes to send; false when the connection is closed. It fails when too many would wait: a peer that
  /// misses some of the bytes would not understand the rest.
  func write(_ bytes: [UInt8]) -> Bool {
    if status == .closed { return false }
    guard output.count + bytes.count <= outputLimit else {
      close()
      fail(.limitReached("more than \(outputLimit) bytes wait to be sent: the peer does not take them"))
      return false
    }
    output.append(bytes)
    flush()
    return true
  }

  func close() {
    let last = state
    state = .closed
    output.removeAll()
    switch last {
    case .resolving(let lookup): lookup.cancel()
    case .connecting(let attempt): attempt.cancel()
    case .open(let socket, let line):
      line.release()
      socket.close()
    case .failed, .closed: break
    }
  }

  /// Tells an error in a later turn of the loop, unless the connection is closed before.
  private func fail(_ error: LullError) {
    state = .failed(error)
    application?.deferred.append { [weak self] in
      if let failure = self?.failure { self?.onEvent(.errorOccurred(failure)) }
    }
    application?.settle()
  }

  /// The application is gone, and its loop with it.
  func abandon() {
    if case .resolving(let lookup) = state { lookup.cancel() }
    if case .connecting(let attempt) = state { attempt.abandon() }
    state = .closed
  }

  /// Watches for the events that are of use now; while the handlers are suspended, only for those that wake
  /// them.
  func updateInterest() {
    guard let application else { return }
    let isSuspended = application.link.isSuspended
    switch state {
    case .connecting(let attempt): attempt.updateInterest(isSuspended: isSuspended)
    case .open(let socket, _):
      let wantsRoom = !isSuspended && (wantsSpaceEvent || output.count > 0)
      let arrival = isReadingPaused && !isSuspended ? [] : StreamConnection.arrival
      guard !isBrokenWhilePaused || isSuspended else { return socket.watch(for: .oneShot) }
      socket.watch(for: wantsRoom ? arrival.union(.writable) : arrival)
    case .resolving, .failed, .closed: break
    }
  }

  // MARK: Events

  private func ready(_ readiness: LullSystem.Readiness) {
    switch state {
    case .connecting(let attempt):
      guard application?.link.isSuspended == false, let socket = attempt.takeConnected() else { return }
      opened(socket)
    case .open(_, let line):
      application?.wakeIfSuspended(line, readiness)
      if isReadingPaused, !readiness.isDisjoint(with: [.hangUp, .error]) {
        isBrokenWhilePaused = true
        return updateInterest()
      }
      if readiness.contains(.writable) { roomAvailable() }
      if readiness != .writable, !isReadingPaused { bytesAvailable(readiness) }
    case .resolving, .failed, .closed: break
    }
  }

  private func opened(_ socket: StreamSocket) {
    guard let application else { return }
    do throws(LullError) {
      state = .open(socket, try hold(socket, [], in: application))
    } catch {
      socket.close()
      return onEvent(.errorOccurred(error))
    }
    onEvent(.openCompleted)
    // This happens in the same turn: a program that finishes at `openCompleted` would sleep before it could
    // write.
    roomAvailable()
    updateInterest()
  }

  private func hold(
    _ socket: StreamSocket, _ state: [UInt8], in application: Application
  ) throws(LullError) -> Line {
    let line = Line(
      application, descriptor: socket.raw, traits, state: state, isForeign: false, onReadable: nil)
    do throws(SystemError) { try line.startProbes() } catch { throw LullError(error) }
    try application.hold(line)
    return line
  }

  private func roomAvailable() {
    guard case .open = state else { return }
    flush()
    guard case .open = state, output.count == 0, wantsSpaceEvent else { return }
    wantsSpaceEvent = false
    onEvent(.hasSpaceAvailable)
    updateInterest()
  }

  /// Reports bytes before the end, and before an error.
  private func bytesAvailable(_ readiness: LullSystem.Readiness) {
    guard case .open(let socket, _) = state else { return }
    let isEnding = !readiness.isDisjoint(with: [.readHangUp, .hangUp, .error])
    guard isEnding, !socket.hasUnreadBytes else { return onEvent(.hasBytesAvailable) }
    if let error = socket.error {
      onEvent(.errorOccurred(.system(code: error.code, "\(socket.address): \(error.message)")))
    } else {
      onEvent(.endEncountered)
    }
  }

  private func flush() {
    guard case .open(let socket, _) = state else { return }
    output.send(to: socket.raw)
    if output.count > 0 { wantsSpaceEvent = true }
    updateInterest()
  }
}

private struct OutputQueue {
  private var bytes: [UInt8] = []
  private var head = 0

  var count: Int { bytes.count - head }

  mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }
  mutating func removeAll() { self = OutputQueue() }

  /// Sends until the connection takes no more. An error is left for the stream's next event, which reports
  /// it.
  mutating func send(to raw: Int32) {
    while count > 0 {
      guard case .sent(let sent) = try? Socket.write(raw, bytes.span.extracting(head...)) else { break }
      head += sent
    }
    if count == 0 {
      bytes.removeAll(keepingCapacity: true)
      head = 0
    } else if head > bytes.count / 2 {
      bytes.removeSubrange(..<head)
      head = 0
    }
  }
}
