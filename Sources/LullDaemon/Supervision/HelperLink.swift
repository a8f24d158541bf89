import LullChannel
import LullGuard
import LullSystem
import LullWire

/// The daemon's end of the socket to a process that it has started, lull-audio or lull-notify, and that
/// process. The daemon never waits for it.
class HelperLink {
  /// The number of the descriptor that the process finds its end at.
  static let number: Int32 = 3

  let process: HelperProcess
  private let channel: MessageChannel
  private let source: EventSource
  /// The time that a text line may wait until some of it is taken, in nanoseconds.
  private let longestWait: Int64

  init(
    _ descriptor: DescriptorBox, process: HelperProcess, as source: EventSource, overload: Overload,
    longestWait: Int64
  ) {
    (self.process, self.source, self.longestWait) = (process, source, longestWait)
    channel = MessageChannel(descriptor, overload: overload)
  }

  /// Starts a program in a session of its own.
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

  /// The moment from which the process counts as hung, unless it takes some of the waiting bytes.
  var stuckAt: Int64? { channel.stalledSince.map { $0 + longestWait } }

  /// True when the process has to be ended, and another one to be told everything anew: it does not read, or
  /// a descriptor could not be sent (too many on their way).
  var isStuck: Bool {
    switch channel.outputEnd {
    case .overrun, .failed: true
    default: stuckAt.map { $0 <= Clock.boottime() } ?? false
    }
  }

  func tell(_ message: Message, _ passed: DescriptorBox? = nil) { channel.tell(message, descriptor: passed) }

  func tellAnew(_ tell: () -> Void) { channel.tellAnew(tell) }

  /// True once, when the process has taken all that was told before something was too much.
  func isToBeToldAnew() -> Bool { channel.takeRefusal() }

  /// Gives the link up: the process was told to end, and nothing more is written.
  func giveUp() { channel.overrun() }

  func watch(in reactor: DaemonReactor) throws(SystemError) { try channel.watch(in: reactor, as: source) }

  func updateInterest(in reactor: DaemonReactor) throws(SystemError) {
    try channel.updateInterest(in: reactor)
  }

  func close(in reactor: DaemonReactor) {
    channel.unwatch(in: reactor)
    channel.close()
  }

  /// Writes the bytes for which there is room, and reads. Returns false at the end of the stream.
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
