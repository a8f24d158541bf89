import LullBus

/// feedbackd (`org.sigxcpu.Feedback`) vibrates or blinks when something was missed, as its theme says. Where
/// it is not installed the bus refuses the call, and nothing happens.
final class Feedback: BusUser {
  /// The names of feedbackd's "Event naming spec".
  enum Event: String {
    case missedCall = "phone-missed-call"
    case missedNotification = "message-missed-notification"
  }

  private static let name = "org.sigxcpu.Feedback"
  /// In seconds; the service may have to be started.
  private static let patience = 25
  /// The timeout of an event that takes its own time.
  private static let once: Int32 = -1

  private var bus: Bus?
  private var isAsked = false

  /// Many events at once make one feedback.
  func trigger(_ event: Event, of program: String) {
    guard let bus, !isAsked else { return }
    let call = BusCall(
      to: Self.name, path: "/org/sigxcpu/Feedback", interface: Self.name, member: "TriggerFeedback",
      values: [.string(program), .string(event.rawValue), .dictionary([]), .int32(Self.once)])
    do throws(BusError) {
      try bus.call(call, timeout: Self.patience) { [weak self] _ in self?.isAsked = false }
      isAsked = true
    } catch {
      // A connection that is lost shows at its next turn.
    }
  }

  func connected(_ bus: Bus) { (self.bus, isAsked) = (bus, false) }

  func disconnected(_ why: BusError) { (bus, isAsked) = (nil, false) }
}
