import LullChannel
import LullModel
import LullSystem
import LullWire
import TestSupport
import Testing

/// lull-notify with a bus of the test's own; the test plays lulld, and the notification server.
final class NotifyStage {
  let folder: TemporaryDirectory
  let address: String
  private(set) var notify: ConnectedChild
  private(set) var server: FakeServer?
  private var bus: ConnectedChild?
  private var link: MessageChannel
  private var buffer = ReceiveBuffer(capacity: 1 << 16)
  private var heard: [MessageFromNotify] = []

  /// `abilities`: those of the server; nil: there is none. `address`: another bus.
  init(
    abilities: [String]? = ["actions", "body", "body-markup"], hasBus: Bool = true, address: String? = nil
  ) throws {
    folder = try TemporaryDirectory()
    self.address = address ?? "unix:path=\(folder.path)/bus"
    // With the guid of this bus, as a desktop has it.
    var known = self.address
    if hasBus {
      bus = try Self.startBus(self.address, in: folder)
      known = try bus?.output.line() ?? known
    }
    if let abilities { server = try FakeServer(at: self.address, abilities: abilities) }
    (notify, link) = try Self.start(session: known)
  }

  deinit {
    link.close()
    _ = try? notify.end()
    try? bus?.signal(Signal.kill)
    _ = try? bus?.end()
  }

  /// A bus that starts no server by itself, whatever is installed.
  private static func startBus(_ address: String, in folder: TemporaryDirectory) throws -> ConnectedChild {
    let file = try folder.file(
      "bus.conf",
      """
      <busconfig>
        <type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
        </policy>
      </busconfig>
      """)
    let bus = try ConnectedChild(
      ["dbus-daemon", "--config-file=\(file)", "--nofork", "--nosyslog", "--print-address"])
    return bus
  }

  /// A lull-notify on these buses, of which one may be missing, and the end of lulld.
  static func start(session: String? = nil, system: String? = nil) throws -> (ConnectedChild, MessageChannel)
  {
    let (own, other) = try UnixSocket.pair()
    let missing = "unix:path=/nonexistent"
    let notify = try ConnectedChild(
      [Built.program("lull-notify")],
      environment: [
        "DBUS_SESSION_BUS_ADDRESS=\(session ?? missing)", "DBUS_SYSTEM_BUS_ADDRESS=\(system ?? missing)",
      ], passed: [.init(other.raw, as: 3)])
    other.close()
    return (notify, MessageChannel(own, overload: .dropPeer))
  }

  // MARK: The bus and the server

  func endBus() throws {
    server = nil
    try bus?.signal(Signal.kill)
    try bus?.end()
    bus = nil
  }

  func startBus() throws {
    bus = try Self.startBus(address, in: folder)
    _ = try bus?.output.line()
  }

  func endServer() { server = nil }

  /// Kills lull-notify, and starts another one.
  func startAnew() throws {
    try notify.signal(Signal.kill)
    try notify.end()
    link.close()
    (notify, link) = try Self.start(session: address)
    heard = []
  }

  func startServer(firstNumber: UInt32 = 1) throws {
    server = try FakeServer(at: address, firstNumber: firstNumber)
  }

  // MARK: lulld

  func tell(_ message: MessageToNotify) { link.tell(message.message()) }

  func show(_ number: UInt32, _ content: LocalNotification = .init(body: "Hello"), place: String? = nil) {
    tell(
      .show(NotificationToShow(id: NotificationID(number), program: "phone", content: content, place: place)))
  }

  /// Lets the server answer until something holds.
  func wait(for what: Comment, until holds: () throws -> Bool) throws {
    try eventually(what) {
      server?.answer()
      try listen()
      return try holds()
    }
  }

  /// The first message that fits; those before it are passed over.
  func told(_ what: Comment, where fits: (MessageFromNotify) -> Bool) throws -> MessageFromNotify {
    var found: MessageFromNotify?
    try wait(for: what) {
      found = heard.firstIndex(where: fits).map { place in
        defer { heard.removeSubrange(...place) }
        return heard[place]
      }
      return found != nil
    }
    return try #require(found)
  }

  func told(_ message: MessageFromNotify) throws { _ = try told("not told: \(message)") { $0 == message } }

  /// The place that lull-notify tells of a notification.
  func place(of number: UInt32) throws -> String {
    let told = try told("no place") {
      if case .placed(NotificationID(number), _?) = $0 { true } else { false }
    }
    guard case .placed(_, let place?) = told else { throw Missing() }
    return place
  }

  private func listen() throws {
    link.flush()
    while case .bytes = link.receive(into: &buffer) {
      while case .message(let line, _)? = link.next() { heard.append(try MessageFromNotify.parse(line)) }
    }
  }

  /// lulld closes the link; the end of lull-notify, while the server answers.
  func closeLink() throws {
    link.close()
    try wait(for: "lull-notify does not end") { try !notify.isAlive }
  }
}
