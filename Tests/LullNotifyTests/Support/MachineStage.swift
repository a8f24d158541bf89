import LullWire
import TestSupport
import Testing

/// lull-notify with a system bus of the test's own, on which python-dbusmock plays a service; the test plays
/// lulld.
final class MachineStage {
  let bus: MockedSystemBus
  private let notify: NotifyProcess

  /// `template` is the service that is played.
  init(_ template: String) throws {
    bus = try MockedSystemBus(template)
    notify = try NotifyProcess(system: bus.address)
  }

  func tell(_ message: MessageToNotify) {
    notify.tell(message)
    notify.flush()
  }

  /// Waits for a message; those before it are passed over.
  func told(_ what: String) throws {
    try eventually("not told: \(what)") {
      try notify.listen()
      return notify.take { "\($0)".hasPrefix(what) } != nil
    }
  }
}
