import Lull
import LullSystem
import LullWire

/// One client of the control socket.
final class ControlConnection {
  /// Whether it is told of every change.
  var isWatching = false
  private var answers: [Message] = []
  /// After the answers it is closed.
  private var isLast = false
  private let socket: DescriptorBox
  private var line: Line?
  private var reader = LineReader()
  private var buffer = ReceiveBuffer(capacity: 65_536)

  /// Has the connection held for as long as it is open.
  init(
    _ socket: DescriptorBox, _ application: Application, _ onReadable: @escaping (ControlConnection) -> Void
  ) throws(LullError) {
    self.socket = socket
    line = try application.hold(socket.raw, as: .accessory) { [weak self] in
      guard let self else { return }
      self.receive()
      onReadable(self)
    }
  }

  var isOpen: Bool { socket.isOpen }

  /// Has something said after what was to be said before.
  func answer(_ messages: [Message]) { answers += messages }

  /// Sends the answers.
  func sendAnswers() {
    send(answers)
    answers = []
    if isLast { close() }
  }

  /// The next request; nil until more bytes come. What is no message is answered here.
  func nextMessage() -> Message? {
    while let next = reader.next() {
      switch next.content {
      case .message(let message): return message
      case .invalid(let error): answers.append(Reply(error).message)
      case .tooLong:
        answers.append(Reply(.tooLong).message)
        isLast = true
      }
    }
    return nil
  }

  /// Sends messages. A client that does not take them is dropped: waiting for it would keep the player awake.
  func send(_ messages: [Message]) {
    guard isOpen else { return }
    var bytes: [UInt8] = []
    for message in messages { message.encodeTruncating(into: &bytes) }
    var sent = 0
    while sent < bytes.count {
      switch try? UnixSocket.send(Array(bytes[sent...]), to: socket.raw) {
      case .sent(let count): sent += count
      case .wouldBlock where waitUntilWritable(): continue
      case .wouldBlock, .closed, nil: return close()
      }
    }
  }

  /// Says that there are too many clients, and closes.
  func refuse() {
    send([Reply.error(code: .tooManyClients, message: "too many commands at once; try again").message])
    close()
  }

  func close() {
    line?.release()
    line = nil
    socket.close()
  }

  /// A long list does not fit into the socket at once; a client that reads takes it in no time.
  private func waitUntilWritable() -> Bool {
    let ready = try? Socket.poll(socket.raw, .writable, timeoutMilliseconds: 200)
    return ready?.contains(.writable) ?? false
  }

  private func receive() {
    switch try? UnixSocket.receive(into: &buffer, from: socket.raw) {
    case .bytes: reader.append(buffer.received)
    case .wouldBlock: return
    case .endOfStream, .descriptorLost, nil: close()
    }
  }
}
