import LullChannel
import LullGuard
import LullSystem
import LullWire

/// The daemon's end of the socket to lull-audio or lull-notify, and that process. The daemon never waits for
/// it.
class HelperLink {
  /// The process finds its end at this descriptor.
  private static let number: Int32 = 3

  let process: HelperProcess
  private let channel: MessageChannel
  private let source: EventSource
  /// In nanoseconds, until some of a text line is taken.
  private let longestWait: Int64

  init(
    _ descriptor: DescriptorBox, process: HelperProcess, as source: EventSource, overload: Overload,
    longestWait: Int64
  ) {
    (self.process, self.source, self.longestWait) = (process, source, longestWait)
    channel = MessageChannel(descriptor, overload: overload)
  }

  static func start(
    _ arguments: [String], openFileLimit: Int?
  ) throws(SystemError) -> (own: DescriptorBox, process: HelperProcess) {
    let (own, other) = try UnixSocket.pair()
    var request = SpawnRequest(arguments)
    request.passed = [.init(other.raw, as: number)]
    request.group = .newSession
    request.openFileLimit = openFileLimit
    return (own, try HelperProcess.launch(request))
  }

  /// From then on the process counts as hung, unless it takes some of the waiting bytes.
  var stuckAt: Int64? { channel.stalledSince.map { $0 + longestWait } }

  /// The process does not read, or a descriptor could not be sent (too many on their way): it has to be
  /// ended, and another one told everything anew.
  var isStuck: Bool {
    switch channel.outputEnd {
    case .overrun, .failed: true
    default: stuckAt.map { $0 <= Clock.boottime() } ?? false
    }
  }

  func tell(_ message: Message, _ passed: DescriptorBox? = nil) { channel.tell(message, descriptor: passed) }

  func tellAnew(_ tell: () -> Void) { channel.tellAnew(tell) }

  /// Once, when the process has taken all that was told before something was too much.
  func isToBeToldAnew() -> Bool { channel.takeRefusal() }

  /// The process was told to end, and nothing more is written.
  func giveUp() { channel.overrun() }

  func watch(in reactor: DaemonReactor) throws(SystemError) { try channel.watch(in: reactor, as: source) }

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

  func next() -> Message? {
    while let incoming = channel.next() {
      if case .message(let message, _) = incoming { return message }
    }
    return nil
  }
}
