import LullBus
import LullSystem

enum ServerNews {
  /// All that the server showed is gone with it.
  case gone
  /// The server has not answered for long. It may still answer.
  case silent
  case closed(UInt32, ClosingReason)
  case action(UInt32, key: String, token: String?)
  /// Whether the desktop wants to be left alone.
  case inhibited(Bool)
  /// Nil: everything works.
  case trouble(String?)
}

/// Desktop Notifications Specification, "NotificationClosed".
enum ClosingReason: UInt32 {
  case expired = 1, dismissed, closed, undefined
}

/// The notification server of the desktop: `org.freedesktop.Notifications` on the session bus.
final class NotificationServer {
  private enum State {
    /// There is no server, or it is being asked for its abilities.
    case none
    case there(Abilities, owner: String)
  }

  static let name = "org.freedesktop.Notifications"
  static let path = "/org/freedesktop/Notifications"
  private static let missing = "no notification server on the session bus; start one, such as dunst"
  /// The nanoseconds that a server has for an answer; a server that is started for the first call may take
  /// long.
  static let usualPatience: Int64 = 10_000_000_000
  /// A call stays open for so many seconds, because the number of the notification comes only with the
  /// answer.
  private static let endless = 1_000_000_000
  /// The most bytes of a token; a part of one is worth nothing.
  private static let longestToken = 1024

  /// Called in the middle of a turn.
  var report: (ServerNews) -> Void = { _ in }

  private let patience: Int64
  private var bus: Bus?
  private var state = State.none
  private var unanswered: Set<UInt64> = []
  private var marks: UInt64 = 0
  /// The moment since which the server owes an answer and has given none. Nil for a silent server.
  private var owesSince: Int64?
  /// When the server is asked again for its abilities, which it has refused to tell.
  private var greeting = Retry()
  /// A token comes before the action that it belongs to.
  private var token: (number: UInt32, text: String)?

  /// `patience` is in nanoseconds.
  init(patience: Int64 = NotificationServer.usualPatience) { self.patience = patience }

  /// Nil while there is no server that could be asked.
  var abilities: Abilities? { if case .there(let abilities, _) = state { abilities } else { nil } }

  /// Whether the place that an earlier lull-notify told still holds.
  func knows(_ place: Place) -> Bool { place == self.place(of: place.number) }

  func place(of number: UInt32) -> Place? {
    guard case .there(_, let owner) = state, let identifier = bus?.identifier else { return nil }
    return Place(bus: identifier, owner: owner, number: number)
  }

  // MARK: Calls

  /// `then` gets nil when the server refuses.
  func show(_ content: Wording, replacing number: UInt32?, then: @escaping (UInt32?) -> Void) {
    ask("Notify", content.values(replacing: number)) { [weak self] reply in
      guard case .values(let message) = reply, let number = message.readUInt32() else { return then(nil) }
      self?.report(.trouble(nil))
      then(number)
    }
  }

  /// An error says that the notification is closed already.
  func close(_ number: UInt32) { ask("CloseNotification", [.uint32(number)]) { _ in } }

  private func ask(_ member: String, _ values: [BusValue] = [], then: @escaping (BusReply) -> Void) {
    let call = BusCall(
      to: Self.name, path: Self.path, interface: Self.name, member: member, values: values)
    marks += 1
    let mark = marks
    unanswered.insert(mark)
    owesSince = owesSince ?? Clock.boottime()
    let answered = { [weak self] (reply: BusReply) in
      self?.answered(mark)
      then(reply)
    }
    do throws(BusError) {
      guard let bus else { throw BusError("no session bus") }
      try bus.call(call, timeout: Self.endless, then: answered)
    } catch {
      answered(.refused(Bus.Refusal(name: "", message: "\(error)")))
    }
  }

  private func answered(_ mark: UInt64) {
    // The answer of a server that is gone.
    guard unanswered.remove(mark) != nil else { return }
    owesSince = unanswered.isEmpty ? nil : Clock.boottime()
  }

  private func greet() { ask("GetCapabilities") { [weak self] reply in self?.greeted(reply) } }

  private func greeted(_ reply: BusReply) {
    switch reply {
    case .values(let message):
      guard let words = message.readStrings(), let owner = message.sender else { return }
      state = .there(Abilities(words), owner: owner)
      greeting.rest()
      report(.trouble(nil))
      askWhetherInhibited()
    case .refused(let refusal):
      guard case .none = state else { return }
      report(.trouble(Self.trouble(refusal)))
      // A server that comes is noticed.
      if !Self.isMissing(refusal) { greeting.plan(at: Clock.boottime()) }
    }
  }

  private static func isMissing(_ refusal: Bus.Refusal) -> Bool {
    refusal.name.hasSuffix(".ServiceUnknown") || refusal.name.hasSuffix(".NameHasNoOwner")
  }

  // MARK: A turn

  var owes: Bool { owesSince != nil }
  var deadline: Int64? { [owesSince.map { $0 + patience }, greeting.due].compactMap(\.self).min() }

  func work() {
    let now = Clock.boottime()
    if let since = owesSince, since + patience <= now {
      owesSince = nil
      report(.trouble("the notification server does not answer"))
      report(.silent)
    }
    if greeting.take(at: now), abilities == nil { greet() }
  }

  static func trouble(_ refusal: Bus.Refusal) -> String {
    switch refusal.name.split(separator: ".").last {
    case _ where isMissing(refusal): missing
    case "NoReply", "Timeout", "TimedOut": "the notification server does not answer"
    default: "the notification server: \(Wording.plain(refusal.message))"
    }
  }

  static func trouble(_ error: BusError) -> String {
    "\(error)\(error.isWithoutAddress ? "; set DBUS_SESSION_BUS_ADDRESS" : "")"
  }

  // MARK: Whether the desktop wants to be left alone

  /// The properties of KDE's specification, and of dunst.
  private static let inhibitions = [(name, "Inhibited"), ("org.dunstproject.cmd0", "paused")]

  private func askWhetherInhibited() {
    for (interface, property) in Self.inhibitions {
      let call = BusCall(
        to: Self.name, path: Self.path, interface: "org.freedesktop.DBus.Properties", member: "Get",
        values: [.string(interface), .string(property)])
      try? bus?.call(call, timeout: Self.endless) { [weak self] reply in
        guard case .values(let message) = reply, case .bool(let isOn)? = message.readVariant() else { return }
        self?.report(.inhibited(isOn))
      }
    }
  }

  private func propertiesChanged(_ message: BusMessage) {
    guard let interface = message.readString(), let changed = message.readDictionary() else { return }
    for (key, value) in changed {
      guard Self.inhibitions.contains(where: { $0 == (interface, key) }) else { continue }
      if case .bool(let isOn)? = value { report(.inhibited(isOn)) }
    }
  }
}

extension NotificationServer: BusUser {
  func connected(_ bus: Bus) throws(BusError) {
    self.bus = bus
    forgetCalls()
    let server = "type='signal',sender='\(Self.name)',path='\(Self.path)'"
    try bus.match("\(server),interface='\(Self.name)'") { [weak self] in self?.spoke($0) }
    try bus.match("\(server),interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'") {
      [weak self] in self?.propertiesChanged($0)
    }
    try bus.match(
      "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.name)'"
    ) { [weak self] in self?.ownerChanged($0) }
    greet()
  }

  func disconnected(_ why: BusError) {
    bus = nil
    forgetCalls()
    lose()
    report(.trouble(Self.trouble(why)))
  }

  private func ownerChanged(_ message: BusMessage) {
    guard message.readString() != nil, message.readString() != nil, let owner = message.readString() else {
      return
    }
    // The answer to the first question may have come from this owner already.
    if case .there(_, owner) = state { return }
    forgetCalls()
    lose()
    guard owner.isEmpty else { return greet() }
    report(.trouble(Self.missing))
  }

  /// The server that was called is gone.
  private func forgetCalls() {
    (unanswered, owesSince) = ([], nil)
    greeting = Retry()
  }

  private func lose() {
    guard case .there = state else { return }
    (state, token) = (.none, nil)
    report(.gone)
  }

  private func spoke(_ message: BusMessage) {
    // The notifications of another server have the same numbers.
    guard case .there(_, let owner) = state, message.sender == owner, let number = message.readUInt32() else {
      return
    }
    switch message.member {
    case "NotificationClosed":
      report(.closed(number, message.readUInt32().flatMap(ClosingReason.init) ?? .undefined))
    case "ActivationToken":
      token = message.readString().flatMap { $0.utf8.count <= Self.longestToken ? (number, $0) : nil }
    case "ActionInvoked":
      guard let key = message.readString() else { return }
      report(.action(number, key: key, token: token?.number == number ? token?.text : nil))
      token = nil
    default: break
    }
  }
}

/// Where a notification is shown, told to lulld so that the next lull-notify takes it over. No other server
/// has the same identifier of the bus and the same name on it.
struct Place: Equatable {
  var bus: String
  var owner: String
  var number: UInt32

  var text: String { "\(bus)/\(owner)/\(number)" }
}

extension Place {
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let number = UInt32(parts[2]) else { return nil }
    self.init(bus: parts[0], owner: parts[1], number: number)
  }
}
