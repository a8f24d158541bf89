import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The daemon's owner of what the desktop shows, over real sockets; the test plays lull-notify, whose process
/// is a `sleep`.
final class NotifyStage {
  /// The links that the owner has started, and the ends of the test.
  private final class Started {
    var ends: [MessageChannel] = []
    var links: [HelperLink] = []
    /// True: lull-notify cannot be started.
    var fails = false
  }

  let presenter: Presenter
  /// What the engine shows.
  var pending: [NotificationToShow] = []
  private let started = Started()
  private var buffer = ReceiveBuffer(capacity: 1 << 16)

  init(_ policy: SupervisionPolicy = SupervisionPolicy()) throws {
    let started = started
    presenter = Presenter(policy, journal: Journal(), reactor: try DaemonReactor()) {
      () throws(SystemError) -> HelperLink in
      if started.fails { throw SystemError(code: 2, call: "execve") }
      let (own, other) = try UnixSocket.pair()
      let (process, execStatus) = try HelperProcess.spawn(SpawnRequest(["sleep", "1000"]))
      // The child holds the other end as well until it has become the program.
      _ = try Socket.poll(execStatus.raw, .readable, timeoutMilliseconds: patience)
      let link = HelperLink.notify(own, process: process, longestWait: policy.audioHang.nanoseconds)
      started.ends.append(MessageChannel(other, overload: .dropPeer))
      started.links.append(link)
      return link
    }
  }

  deinit {
    for link in started.links {
      try? link.process.send(Signal.kill)
      _ = try? Socket.poll(link.process.pidfd.raw, .readable, timeoutMilliseconds: patience)
      _ = try? link.process.reap()
    }
  }

  /// The number of starts.
  var launches: Int { started.links.count }

  func makeUnstartable() { started.fails = true }

  static func content(
    _ number: UInt32, _ body: String = "", place: String? = nil
  ) -> NotificationToShow {
    NotificationToShow(id: NotificationID(number), program: "phone", content: .init(body: body), place: place)
  }

  /// The engine shows a notification.
  func show(_ number: UInt32, _ body: String = "") {
    let content = Self.content(number, body)
    pending.removeAll { $0.id == content.id }
    pending.append(content)
    presenter.show(content)
  }

  func withdraw(_ number: UInt32) {
    pending.removeAll { $0.id == NotificationID(number) }
    presenter.withdraw(NotificationID(number))
  }

  /// The deadline of the loop has come.
  @discardableResult func timeIsUp() -> [NotifyOutcome] { presenter.startIfDue { pending } }

  /// The messages to lull-notify, up to one that fits.
  func told(to fits: (MessageToNotify) -> Bool) throws -> [MessageToNotify] {
    let end = try #require(started.ends.last)
    var messages: [MessageToNotify] = []
    try eventually("lull-notify was not told: \(messages.suffix(5))") {
      _ = presenter.receive(&buffer)
      while true {
        while messages.last.map(fits) != true, case .message(let line, _)? = end.next() {
          messages.append(try MessageToNotify.parse(line))
        }
        guard messages.last.map(fits) != true else { return true }
        guard case .bytes = end.receive(into: &buffer) else { return false }
      }
    }
    return messages
  }

  /// Says something as lull-notify; the outcomes.
  func say(_ message: MessageFromNotify) throws -> [NotifyOutcome] {
    try #require(started.ends.last).tell(message.message())
    let isThere = presenter.receive(&buffer)
    #expect(isThere)
    var all: [NotifyOutcome] = []
    while let outcomes = presenter.next() { all += outcomes }
    return all
  }

  /// Ends lull-notify; the outcomes.
  func die() throws -> [NotifyOutcome] {
    try started.links.last?.process.send(Signal.kill)
    started.ends.last?.close()
    // Until its exec, a child that another test starts at this moment holds the socket too.
    try eventually("the end of lull-notify is not seen") { !presenter.receive(&buffer) }
    return presenter.ended()
  }

  /// True when the daemon has closed the link.
  func isDismissed() throws -> Bool {
    let end = try #require(started.ends.last)
    if case .ended = end.receive(into: &buffer) { return true }
    return false
  }
}
