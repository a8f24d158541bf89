import LullChannel
import LullGuard
import LullSystem
import LullWire

/// The daemon's end of the socket to lull-audio, its process, and the board on which it shows the states of
/// the audio sessions.
final class AudioLink {
  private static let linkNumber: Int32 = 3

  static var chosenDevice: String? { Identity.setting("LULL_SOUND_DEVICE") }

  let process: HelperProcess
  let board: AudioBoard
  private let channel: MessageChannel
  /// The time that a text line may wait until some of it is taken, in nanoseconds.
  private let longestWait: Int64

  init(_ descriptor: DescriptorBox, process: HelperProcess, board: AudioBoard, longestWait: Int64) {
    (self.process, self.board, self.longestWait) = (process, board, longestWait)
    channel = MessageChannel(descriptor, overload: .dropPeer)
  }

  /// The process is told of a new board.
  private static func begin(
    _ descriptor: DescriptorBox, process: HelperProcess, longestWait: Int64
  ) throws(SystemError) -> AudioLink {
    let (memory, file) = try SharedMemory.create(name: "lull-board", count: AudioBoard.bytes)
    let link = AudioLink(descriptor, process: process, board: AudioBoard(memory), longestWait: longestWait)
    link.tell(MessageToAudio.board.message(), file)
    return link
  }

  /// A link to the lull-audio of the lulld before, which has the other end; nil when it has ended.
  static func inherit(
    _ way: DescriptorBox, pid: Int32, longestWait: Int64
  ) throws(SystemError) -> AudioLink? {
    let process = HelperProcess(pid: pid, pidfd: DescriptorBox(try Process.pidfdOpen(pid)))
    // A process closes its end before another one can get its number.
    guard try Socket.poll(way.raw, .readHangUp, timeoutMilliseconds: 0).isEmpty else { return nil }
    return try begin(way, process: process, longestWait: longestWait)
  }

  static func launch(openFileLimit: Int?, longestWait: Int64) throws(SystemError) -> AudioLink {
    let (own, other) = try UnixSocket.pair()
    var arguments = [try Process.sibling("lull-audio")]
    if let device = chosenDevice { arguments += ["--device", device] }
    if let seconds = Identity.setting("LULL_SOUND_CLOSE_AFTER") {
      arguments += ["--close-after", seconds]
    }
    var request = SpawnRequest(arguments)
    request.passed = [.init(other.raw, as: linkNumber)]
    request.group = .newSession
    request.openFileLimit = openFileLimit
    return try begin(own, process: HelperProcess.launch(request), longestWait: longestWait)
  }

  /// The moment from which lull-audio counts as hung, unless it takes some of the waiting bytes.
  var stuckAt: Int64? { channel.stalledSince.map { $0 + longestWait } }

  /// True when lull-audio has to be ended, and another one to be told everything anew: it does not read, or a
  /// descriptor could not be sent (too many on their way).
  var isStuck: Bool {
    switch channel.outputEnd {
    case .overrun, .failed: true
    default: stuckAt.map { $0 <= Clock.boottime() } ?? false
    }
  }

  func tell(_ message: Message, _ passed: DescriptorBox? = nil) { channel.tell(message, descriptor: passed) }

  /// Writes the bytes for which there is room: the daemon does not wait for lull-audio.
  func flush() { channel.flush() }

  /// Gives the link up: lull-audio was told to end, and nothing more is written.
  func giveUp() { channel.overrun() }

  // MARK: Watching

  func watch(in reactor: DaemonReactor) throws(SystemError) {
    try channel.watch(in: reactor, as: .sound)
  }

  func updateInterest(in reactor: DaemonReactor) throws(SystemError) {
    try channel.updateInterest(in: reactor)
  }

  func close(in reactor: DaemonReactor) {
    channel.unwatch(in: reactor)
    channel.close()
  }

  // MARK: Receiving

  /// Returns false at the end of the stream.
  func receive(_ buffer: inout ReceiveBuffer) -> Bool {
    switch channel.receive(into: &buffer) {
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
