import LullBus
import TestSupport
import Testing

/// A notification server of the test. It answers when the test says so.
final class FakeServer {
  struct Shown: Equatable {
    let number: UInt32
    let program: String
    let replaces: UInt32
    let summary: String
    let body: String
    let actions: [String]
    let urgency: BusValue?
    let category: BusValue?
  }

  private static let name = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"

  private(set) var shown: [Shown] = []
  private(set) var closed: [UInt32] = []
  /// It refuses every notification.
  var refuses = false
  private(set) var refused = 0
  /// It does not tell what it can do.
  var refusesGreeting = false
  private(set) var refusedGreetings = 0
  private let bus: Bus
  private var count: UInt32

  init(
    at address: String, abilities: [String] = ["actions", "body", "body-markup"], firstNumber: UInt32 = 1
  ) throws {
    count = firstNumber - 1
    bus = try Bus(.address(address))
    try bus.requestName(Self.name)
    try bus.serve(Self.path) { [unowned self] call throws(Bus.Refusal) in
      switch call.member {
      case "GetCapabilities": return [.strings(try greeted(abilities))]
      case "Notify": return [.uint32(try show(call))]
      case "CloseNotification":
        closed.append(call.readUInt32() ?? 0)
        return []
      default: throw Bus.Refusal(name: "org.freedesktop.DBus.Error.UnknownMethod", message: "none")
      }
    }
  }

  /// Answers what has come.
  func answer() { #expect(bus.process() && bus.flush()) }

  func choose(_ key: String, of number: UInt32, token: String? = nil) {
    if let token { emit("ActivationToken", [.uint32(number), .string(token)]) }
    emit("ActionInvoked", [.uint32(number), .string(key)])
  }

  /// The reasons are 1, expired, and 2, dismissed by the user.
  func end(_ number: UInt32, reason: UInt32) {
    emit("NotificationClosed", [.uint32(number), .uint32(reason)])
  }

  /// As dunst is silenced.
  func pause(_ isOn: Bool) {
    bus.emit(
      "org.freedesktop.DBus.Properties", member: "PropertiesChanged", at: Self.path,
      values: [
        .string("org.dunstproject.cmd0"), .dictionary([BusEntry("paused", .bool(isOn))]), .strings([]),
      ])
    answer()
  }

  private func emit(_ member: String, _ values: [BusValue]) {
    bus.emit(Self.name, member: member, at: Self.path, values: values)
    answer()
  }

  private func greeted(_ abilities: [String]) throws(Bus.Refusal) -> [String] {
    guard refusesGreeting else { return abilities }
    refusedGreetings += 1
    throw Bus.Refusal(name: "org.freedesktop.DBus.Error.NoReply", message: "late")
  }

  private func show(_ call: BusMessage) throws(Bus.Refusal) -> UInt32 {
    guard !refuses else {
      refused += 1
      throw Bus.Refusal(name: "org.freedesktop.Notifications.Error", message: "no")
    }
    let (program, replaces, _) = (call.readString(), call.readUInt32(), call.readString())
    let (summary, body, actions) = (call.readString(), call.readString(), call.readStrings())
    let hints = call.readDictionary() ?? []
    func hint(_ key: String) -> BusValue? { hints.first { $0.key == key }?.value }
    if replaces == 0 || replaces == nil { count += 1 }
    let number = replaces == 0 ? count : replaces ?? count
    shown.append(
      Shown(
        number: number, program: program ?? "", replaces: replaces ?? 0, summary: summary ?? "",
        body: body ?? "", actions: actions ?? [], urgency: hint("urgency"), category: hint("category")))
    return number
  }
}
