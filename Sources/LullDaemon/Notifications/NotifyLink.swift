import LullChannel
import LullGuard
import LullSystem
import LullWire

final class NotifyLink {
  static let linkNumber: Int32 = 3

  let process: HelperProcess
  private let channel: MessageChannel
  /// The time that a text line may wait until some of it is taken, in nanoseconds.
  private let longestWait: Int64

  init(_ descriptor: DescriptorBox, process: HelperProcess, longestWait: Int64) {
    (self.process, self.longestWait) = (process, longestWait)
    // A flood that lull-notify cannot take is told anew, without what is over by then.
    channel = MessageChannel(descriptor, overload: .refuseMore)
  }

  static func launch(openFileLimit: Int?, longestWait: Int64) throws(SystemError) -> NotifyLink {
    let (own, other) = try UnixSocket.pair()
    var request = SpawnRequest([try Process.sibling("lull-notify")])
    request.passed = [.init(other.raw, as: linkNumber)]
    request.group = .newSession
    request.openFileLimit = openFileLimit
    let process = try HelperProcess.launch(request)
    return NotifyLink(own, process: process, longestWait: longestWait)
  }

  /// The moment from which lull-notify counts as hung, unless it takes some of the waiting bytes.
  var stuckAt: Int64? { channel.stalledSince.map { $0 + longestWait } }

  var isStuck: Bool { stuckAt.map { $0 <= Clock.boottime() } ?? false }

  func tell(_ message: MessageToNotify) { channel.tell(message.message()) }

  func tellAnew(_ tell: () -> Void) { channel.tellAnew(tell) }

  /// True once, when lull-notify has taken all that was told before something was too much.
  func isToBeToldAnew() -> Bool { channel.takeRefusal() }

  /// Gives the link up: lull-notify was told to end, and nothing more is written.
  func giveUp() { channel.overrun() }

  func watch(in reactor: DaemonReactor) throws(SystemError) { try channel.watch(in: reactor, as: .notify) }

  func updateInterest(in reactor: DaemonReactor) throws(SystemError) {
    try channel.updateInterest(in: reactor)
  }

  func close(in reactor: DaemonReactor) {
    channel.unwatch(in: reactor)
    channel.close()
  }

  /// Returns false at the end of the stream.
  func receive(_ buffer: inout ReceiveBuffer) -> Bool {
    channel.flush()
    return switch channel.receive(into: &buffer) {
    case .bytes, .nothing: true
    case .ended: false
    }
  }

  func next() -> MessageFromNotify? {
    while let incoming = channel.next() {
      // Both programs are of one build: what cannot be read was not written by lull-notify.
      if case .message(let line, _) = incoming, let message = try? MessageFromNotify.parse(line) {
        return message
      }
    }
    return nil
  }
}
