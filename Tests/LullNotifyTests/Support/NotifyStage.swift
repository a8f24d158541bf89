import LullModel
import LullSystem
import LullWire
import TestSupport
import Testing

/// lull-notify with a bus of the test's own; the test plays lulld, and the notification server.
final class NotifyStage {
  private let folder: TemporaryDirectory
  let address: String
  private var notify: NotifyProcess
  private(set) var server: FakeServer?
  private var bus: ConnectedChild?

  /// `abilities` are those of the server; nil: there is no server. `address` is that of another bus.
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
    notify = try NotifyProcess(session: known)
  }

  deinit {
    notify.close()
    _ = try? notify.process.end()
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
    return try ConnectedChild(
      ["dbus-daemon", "--config-file=\(file)", "--nofork", "--nosyslog", "--print-address"])
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
    try notify.process.signal(Signal.kill)
    try notify.process.end()
    notify = try NotifyProcess(session: address)
  }

  func startServer(firstNumber: UInt32 = 1) throws {
    server = try FakeServer(at: address, firstNumber: firstNumber)
  }

  // MARK: lulld

  func tell(_ message: MessageToNotify) { notify.tell(message) }

  func show(_ number: UInt32, _ content: LocalNotification = .init(body: "Hello"), place: String? = nil) {
    tell(
      .show(NotificationToShow(id: NotificationID(number), program: "phone", content: content, place: place)))
  }

  /// Lets the server answer until something holds.
  func wait(for what: Comment, until holds: () throws -> Bool) throws {
    try eventually(what) {
      server?.answer()
      try notify.listen()
      return try holds()
    }
  }

  /// The first message that fits; those before it are passed over.
  func told(_ what: Comment, where fits: (MessageFromNotify) -> Bool) throws -> MessageFromNotify {
    var found: MessageFromNotify?
    try wait(for: what) {
      found = notify.take(where: fits)
      return found != nil
    }
    return try #require(found)
  }

  func told(_ message: MessageFromNotify) throws { _ = try told("not told: \(message)") { $0 == message } }

  func place(of number: UInt32) throws -> String {
    let told = try told("no place") {
      if case .placed(NotificationID(number), _?) = $0 { true } else { false }
    }
    guard case .placed(_, let place?) = told else { throw Missing() }
    return place
  }

  /// lulld closes the link, and lull-notify ends while the server answers.
  func closeLink() throws {
    notify.close()
    try wait(for: "lull-notify does not end") { try !notify.process.isAlive }
  }
}
