import LullChannel
import LullModel
import LullSystem
import LullWire
import TestSupport
import Testing

/// lull-notify with a system bus of the test's own, on which python-dbusmock plays a service; the test plays
/// lulld.
final class MachineStage {
  let bus: MockedSystemBus
  private let notify: ConnectedChild
  private let link: MessageChannel
  private var buffer = ReceiveBuffer(capacity: 1 << 16)
  private var heard: [MessageFromNotify] = []

  /// `template` is the service that is played.
  init(_ template: String) throws {
    bus = try MockedSystemBus(template)
    (notify, link) = try NotifyStage.start(system: bus.address)
  }

  deinit {
    link.close()
    try? notify.signal(Signal.kill)
    _ = try? notify.end()
  }

  // MARK: lulld

  func tell(_ message: MessageToNotify) {
    link.tell(message.message())
    link.flush()
  }

  /// Waits for a message; those before it are passed over.
  func told(_ what: String) throws {
    try eventually("not told: \(what)") { hasBeenTold(what) }
  }

  func hasBeenTold(_ what: String) -> Bool {
    while case .bytes = link.receive(into: &buffer) {
      while case .message(let line, _)? = link.next() {
        if let message = try? MessageFromNotify.parse(line) { heard.append(message) }
      }
    }
    guard let place = heard.firstIndex(where: { "\($0)".hasPrefix(what) }) else { return false }
    heard.removeSubrange(...place)
    return true
  }
}
