import Lull
import LullChannel
import LullSystem
import LullWire

/// The control socket: held as a line, as is every connection, so that a request wakes the sleeping player.
final class PlayerServer {
  /// Connections at the same time; further ones get an error and are closed.
  private static let maximumConnections = 32

  private let application: Application
  private let controller: Controller
  private let listener: DescriptorBox
  private let path: String
  private var line: Line?
  private var connections: [ControlConnection] = []
  /// Called before requests are answered: an answered change must survive a kill.
  private let beforeAnswer: () -> Void
  /// Called after each request; true for `quit`.
  private let onRequest: (Bool) -> Void

  /// Listens. A socket at the path is stale and is replaced: the caller holds the lock.
  init(
    _ application: Application, _ controller: Controller, path: String,
    beforeAnswer: @escaping () -> Void, onRequest: @escaping (Bool) -> Void
  ) throws(Failure) {
    (self.application, self.controller, self.path) = (application, controller, path)
    (self.beforeAnswer, self.onRequest) = (beforeAnswer, onRequest)
    try? Files.unlink(path)
    do {
      listener = DescriptorBox(try UnixSocket.listen(path: path))
      line = try application.hold(listener.raw, as: .accessory) { [weak self] in self?.accept() }
    } catch {
      throw .failed("the control socket \(path): \(error)")
    }
  }

  func announce() {
    let change = controller.report("changed")
    for connection in connections where connection.isWatching {
      connection.answer([change])
      connection.sendAnswers()
    }
    dropClosed()
  }

  func close() {
    for connection in connections { connection.close() }
    connections = []
    line?.release()
    listener.close()
    try? Files.unlink(path)
  }

  private func accept() {
    dropClosed()
    while let accepted = try? Socket.accept(from: listener.raw) {
      let socket = DescriptorBox(accepted)
      // The connection cannot be held when there are too many lines. It is then closed, which its client
      // reports.
      guard (try? UnixSocket.peer(of: socket.raw))?.uid == Identity.uid(),
        let connection = try? ControlConnection(
          socket, in: application, onRequest: { [weak self] in self?.serve($0) })
      else { continue }
      if connections.count < Self.maximumConnections {
        connections.append(connection)
      } else {
        connection.refuse()
      }
    }
    onRequest(false)
  }

  private func serve(_ connection: ControlConnection) {
    var quits = false
    while let message = connection.nextMessage() {
      let (messages, consequence) = controller.answer(message)
      connection.answer(messages)
      if consequence == .watch { connection.watch() }
      if consequence == .quit { quits = true }
    }
    // This is called once for all requests that came together: a long queue is written as a whole.
    beforeAnswer()
    connection.sendAnswers()
    dropClosed()
    onRequest(quits)
  }

  private func dropClosed() { connections.removeAll { !$0.isOpen } }
}

/// A client of the control socket, held as a line for as long as it is open.
final class ControlConnection {
  /// The seconds after which a client that takes no answers is dropped: waiting for it would keep the player
  /// awake.
  private static let patience = 0.2
  /// The reads of one turn: requests that come together are answered together.
  private static let readsAtOnce = 16
  /// The bytes of answers that wait at most: the list of some 100,000 items.
  private static let mostWaiting = 1 << 25

  private(set) var isWatching = false
  private let channel: MessageChannel
  private let application: Application
  private var line: Line?
  private var buffer = ReceiveBuffer(capacity: Limits.maximumLine)
  private var readsLeft = 0
  /// True when the connection is closed after the answers.
  private var isLast = false
  private var patienceTimer: TimerToken?

  init(
    _ socket: DescriptorBox, in application: Application, onRequest: @escaping (ControlConnection) -> Void
  ) throws(LullError) {
    channel = MessageChannel(socket, overload: .dropPeer, maximumOutput: Self.mostWaiting)
    self.application = application
    line = try application.hold(socket.raw, as: .accessory) { [weak self] in
      guard let self else { return }
      readsLeft = Self.readsAtOnce
      onRequest(self)
    }
  }

  var isOpen: Bool { channel.socket.isOpen }

  /// The client is told of every change from now on.
  func watch() { isWatching = true }

  /// The next request; nil until more bytes come. A text line that is no message is answered here.
  func nextMessage() -> Message? {
    while true {
      switch channel.next() {
      case .message(let message, _): return message
      case .invalid(let error): channel.queue(Reply(error).message)
      case .ended(let end): ended(end)
      case nil: guard receive() else { return nil }
      }
    }
  }

  private func receive() -> Bool {
    guard readsLeft > 0, !isLast else { return false }
    readsLeft -= 1
    switch channel.receive(into: &buffer) {
    case .bytes: return true
    case .nothing: return false
    case .ended(let end):
      ended(end)
      return false
    }
  }

  private func ended(_ end: ChannelEnd) {
    if let reply = end.reply { channel.queue(reply.message) }
    isLast = true
  }

  func answer(_ messages: [Message]) { for message in messages { channel.queue(message) } }

  func sendAnswers() {
    guard isOpen else { return }
    switch channel.flush() {
    case .complete:
      line?.onWritable = nil
      guard isLast else { return }
      channel.discard(into: &buffer, reads: Self.readsAtOnce)
      close()
    case .waiting:
      line?.onWritable = { [weak self] in self?.sendAnswers() }
      if patienceTimer?.isValid != true { wait(Self.patience) }
    case .ended: close()
    }
  }

  private func wait(_ seconds: Double) {
    patienceTimer = application.schedule(after: seconds) { [weak self] in
      guard let self, let since = channel.stalledSince else { return }
      let waited = Double(Clock.boottime() - since) / 1e9
      if waited >= Self.patience { close() } else { wait(Self.patience - waited) }
    }
  }

  func refuse() {
    channel.tell(Reply.error(code: .tooManyClients, message: "too many commands at once; try again").message)
    close()
  }

  func close() {
    patienceTimer?.cancel()
    line?.release()
    line = nil
    channel.close()
  }
}
