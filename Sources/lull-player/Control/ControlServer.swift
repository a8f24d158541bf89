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
  var beforeAnswer: () -> Void = {}
  /// Called after each request, and for `quit`.
  var onRequest: () -> Void = {}
  var onQuit: () -> Void = {}

  /// Listens. A socket at the path is stale and is replaced: the caller holds the lock.
  init(_ application: Application, _ controller: Controller, path: String) throws(Failure) {
    (self.application, self.controller, self.path) = (application, controller, path)
    try? Files.unlink(path)
    do {
      listener = DescriptorBox(try UnixSocket.listen(path: path))
    } catch {
      throw .failed("the control socket: \(error)")
    }
    do {
      line = try application.hold(listener.raw, as: .accessory) { [weak self] in self?.accept() }
    } catch {
      throw .failed("the control socket \(path) cannot be held: \(error)")
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
      let box = DescriptorBox(accepted)
      guard (try? UnixSocket.peer(of: box.raw))?.uid == Identity.uid() else { continue }
      // The connection cannot be held when there are too many lines. It is then closed, which its client
      // reports.
      guard
        let connection = try? ControlConnection(
          box, in: application, onRequest: { [weak self] in self?.serve($0) })
      else {
        continue
      }
      if connections.count < Self.maximumConnections {
        connections.append(connection)
      } else {
        connection.refuse()
      }
    }
    onRequest()
  }

  private func serve(_ connection: ControlConnection) {
    var quits = false
    while let message = connection.nextMessage() {
      let (messages, consequence) = controller.answer(message)
      connection.answer(messages)
      switch consequence {
      case .none: break
      case .watch: connection.isWatching = true
      case .quit: quits = true
      }
    }
    // This is called once for all requests that came together: a long queue is written as a whole.
    beforeAnswer()
    connection.sendAnswers()
    dropClosed()
    if quits { onQuit() } else { onRequest() }
  }

  private func dropClosed() {
    connections.removeAll { !$0.isOpen }
  }
}
