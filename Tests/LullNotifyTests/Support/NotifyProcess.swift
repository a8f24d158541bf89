import LullChannel
import LullSystem
import LullWire
import TestSupport

/// A lull-notify, and lulld's end of the link to it.
final class NotifyProcess {
  let process: ConnectedChild
  private let link: MessageChannel
  private var buffer = ReceiveBuffer(capacity: 1 << 16)
  private var heard: [MessageFromNotify] = []

  /// Either bus may be missing.
  init(session: String? = nil, system: String? = nil) throws {
    let (own, other) = try UnixSocket.pair()
    let missing = "unix:path=/nonexistent"
    process = try ConnectedChild(
      [Built.program("lull-notify")],
      environment: [
        "DBUS_SESSION_BUS_ADDRESS=\(session ?? missing)", "DBUS_SYSTEM_BUS_ADDRESS=\(system ?? missing)",
      ], passed: [.init(other.raw, as: 3)])
    other.close()
    link = MessageChannel(own, overload: .dropPeer)
  }

  func tell(_ message: MessageToNotify) { link.tell(message.message()) }

  func flush() { link.flush() }

  func listen() throws {
    link.flush()
    while case .bytes = link.receive(into: &buffer) {
      while case .message(let line, _)? = link.next() { heard.append(try MessageFromNotify.parse(line)) }
    }
  }

  /// The first message that fits, of those that were heard; those before it are passed over.
  func take(where fits: (MessageFromNotify) -> Bool) -> MessageFromNotify? {
    guard let place = heard.firstIndex(where: fits) else { return nil }
    defer { heard.removeSubrange(...place) }
    return heard[place]
  }

  func close() { link.close() }
}
