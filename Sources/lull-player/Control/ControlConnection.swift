import Lull
import LullChannel
import LullSystem
import LullWire

/// One client of the control socket.
final class ControlConnection {
  /// The seconds after which a client that takes no answers is dropped: waiting for it would keep the player
  /// awake.
  private static let patience = 0.2
  /// The reads of one turn: requests that come together are answered together.
  private static let readsAtOnce = 16

  /// True when the client is told of every change.
  var isWatching = false
  private let channel: MessageChannel
  private let application: Application
  private var line: Line?
  private var buffer = ReceiveBuffer(capacity: Limits.maximumLine)
  private var readsLeft = 0
  /// The answers that do not fit into the channel yet.
  private var answers: ArraySlice<Message> = []
  /// True when the connection is closed after the answers.
  private var isLast = false
  private var patienceTimer: TimerToken?

  /// Holds the connection as a line for as long as it is open.
  init(
    _ socket: DescriptorBox, in application: Application, onRequest: @escaping (ControlConnection) -> Void
  ) throws(LullError) {
    channel = MessageChannel(socket, overload: .dropPeer)
    self.application = application
    line = try application.hold(socket.raw, as: .accessory) { [weak self] in
      guard let self else { return }
      readsLeft = Self.readsAtOnce
      onRequest(self)
    }
  }

  var isOpen: Bool { channel.socket.isOpen }

  /// The next request; nil until more bytes come. A text line that is no message is answered here.
  func nextMessage() -> Message? {
    while true {
      switch channel.next() {
      case .message(let message, _): return message
      case .invalid(let error): answers.append(Reply(error).message)
      case .ended(let end): ended(end)
      case nil: guard receive() else { return nil }
      }
    }
  }

  /// Reads; true when bytes have come.
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
    if let reply = end.reply { answers.append(reply.message) }
    isLast = true
  }

  /// Queues an answer behind the earlier ones.
  func answer(_ messages: [Message]) { answers += messages }

  func sendAnswers() {
    guard isOpen else { return }
    var delivery = Delivery.complete
    repeat {
      while !channel.isBusy, let next = answers.popFirst() { channel.queue(next) }
      delivery = channel.flush()
    } while delivery == .complete && !answers.isEmpty
    switch delivery {
    case .complete:
      line?.onWritable = nil
      guard isLast else { return }
      channel.discard(into: &buffer, reads: Self.readsAtOnce)
      close()
    case .waiting: waitForRoom()
    case .ended: close()
    }
  }

  /// Sends a message that answers no request. It may come between the records of an answer.
  func send(_ message: Message) {
    channel.queue(message)
    sendAnswers()
  }

  /// Reports that there are too many clients, and closes.
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

  // MARK: A client that reads more slowly than it is sent to

  private func waitForRoom() {
    line?.onWritable = { [weak self] in self?.sendAnswers() }
    guard patienceTimer?.isValid != true else { return }
    patienceTimer = application.schedule(after: Self.patience) { [weak self] in self?.losePatience() }
  }

  private func losePatience() {
    guard let since = channel.stalledSince else { return }
    let waited = Double(Clock.boottime() - since) / 1e9
    if waited >= Self.patience { return close() }
    patienceTimer = application.schedule(after: Self.patience - waited) { [weak self] in self?.losePatience()
    }
  }
}
