import Lull
import LullSystem
import LullWire

/// The control socket: held as a line, as is every connection, so that a request wakes the sleeping player.
final class ControlServer {
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
    while let accepted = try? UnixSocket.accept(from: listener.raw) {
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
