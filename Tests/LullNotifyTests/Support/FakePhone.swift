import LullBus
import TestSupport
import Testing

/// What a phone has beside its notification server: feedbackd, and a launcher that shows numbers.
final class FakePhone {
  /// Such as `phone phone-missed-call`.
  private(set) var feedback: [String] = []
  /// Such as `application://phone.desktop 1 true`.
  private(set) var badges: [String] = []
  private let bus: Bus

  init(at address: String) throws {
    bus = try Bus(.address(address))
    try bus.serve("/org/sigxcpu/Feedback") { [unowned self] call throws(Bus.Refusal) in
      guard call.member == "TriggerFeedback", let program = call.readString(), let event = call.readString(),
        call.readDictionary()?.isEmpty == true
      else { throw Bus.Refusal(name: "org.freedesktop.DBus.Error.InvalidArgs", message: "none") }
      feedback.append("\(program) \(event)")
      return [.uint32(UInt32(feedback.count))]
    }
    try bus.match("type='signal',interface='com.canonical.Unity.LauncherEntry',member='Update'") {
      [unowned self] message in
      let program = message.readString() ?? ""
      let properties = (message.readDictionary() ?? []).sorted { $0.key < $1.key }
      guard properties.map(\.key) == ["count", "count-visible"],
        case .int64(let count)? = properties[0].value, case .bool(let isVisible)? = properties[1].value
      else { return badges.append("\(program) \(properties)") }
      badges.append("\(program) \(count) \(isVisible)")
    }
    try bus.requestName("org.sigxcpu.Feedback")
    try showBadges()
  }

  func showBadges() throws { try bus.requestName("com.canonical.Unity") }

  func answer() { #expect(bus.process() && bus.flush()) }
}

extension NotifyStage {
  /// Lets the phone and the server answer until something holds.
  func wait(with phone: FakePhone, for what: Comment, until holds: () throws -> Bool) throws {
    try wait(for: what) {
      phone.answer()
      return try holds()
    }
  }
}
