import LullSystem
import LullWire

/// The daemon's end of the socket to lull-audio, its process, and the board on which it shows how the sessions stand.
final class SoundLink {
  static let linkNumber: Int32 = 3, boardNumber: Int32 = 4

  /// The device that is the usual one, where somebody chose it.
  static var chosenDevice: String? { Identity.environment("LULL_SOUND_DEVICE") }

  let descriptor: DescriptorBox
  let pid: Int32
  let pidfd: DescriptorBox
  let board: SoundBoard
  private var reader = LineReader()
  private var output: [(bytes: [UInt8], descriptor: DescriptorBox?)] = []

  /// Starts lull-audio, which stands beside the daemon's own program.
  init(openFileLimit: Int?) throws(SystemError) {
    let (own, other) = try UnixSocket.pair()
    let (memory, file) = try SharedMemory.create(name: "lull-board", count: SoundBoard.bytes)
    var arguments = [try Startup.sibling("lull-audio")]
    if let device = Self.chosenDevice { arguments += ["--device", device] }
    if let seconds = Identity.environment("LULL_SOUND_CLOSE_AFTER") {
      arguments += ["--close-after", seconds]
    }
    var request = SpawnRequest(arguments)
    request.passed = [.init(other.raw, as: Self.linkNumber), .init(file.raw, as: Self.boardNumber)]
    request.group = .newSession
    request.openFileLimit = openFileLimit
    let spawned = try Process.spawn(request)
    pid = spawned.pid
    let (pidfd, status) = spawned.boxes()
    _ = try Socket.poll(status.raw, .readable, timeoutMilliseconds: 1000)
    if case .failed(let error) = try Process.execResult(status.raw) { throw error }
    (descriptor, self.pidfd, board) = (own, pidfd, SoundBoard(memory))
  }

  /// More bytes than this wait for a lull-audio that does not read: it hangs.
  private static let maximumOutput = 1 << 20
  /// So long may a line wait until some of it is taken, in nanoseconds.
  private static let longestWait: Int64 = 2_000_000_000
  private var queuedBytes = 0
  /// When it hangs, unless it takes something of what waits.
  private(set) var stuckAt: Int64?
  /// A descriptor could not be sent (too many on their way): trying again at once would spin.
  private var hasFailed = false

  /// It has to be ended, and another one to be told everything anew.
  var isStuck: Bool {
    hasFailed || queuedBytes > Self.maximumOutput || stuckAt.map { $0 <= Clock.boottime() } ?? false
  }

  /// Whether something waits for room in the socket.
  var hasOutput: Bool { !output.isEmpty }

  func tell(_ message: Message, _ passed: DescriptorBox? = nil) {
    var bytes: [UInt8] = []
    message.encodeTruncating(into: &bytes)
    output.append((bytes, passed))
    queuedBytes += bytes.count
    flush()
  }

  /// Writes what there is room for: the daemon waits for nobody who plays sound.
  func flush() {
    while !hasFailed, let first = output.first {
      do throws(SystemError) {
        let raw = first.descriptor?.raw
        guard case .sent(let count) = try UnixSocket.send(first.bytes, descriptor: raw, to: descriptor.raw)
        else {
          stuckAt = stuckAt ?? Clock.boottime() + Self.longestWait
          return
        }
        took(count)
      } catch {
        hasFailed = true
        return
      }
    }
    stuckAt = nil
  }

  /// It was told to end: nothing more is written.
  func giveUp() { (hasFailed, stuckAt) = (true, nil) }

  private func took(_ count: Int) {
    stuckAt = nil
    queuedBytes -= count
    output[0].bytes.removeFirst(count)
    output[0].descriptor = nil
    if output[0].bytes.isEmpty { output.removeFirst() }
  }

  /// The messages that have come; nil at the end.
  func receive(_ buffer: inout ReceiveBuffer) -> [Message]? {
    switch (try? UnixSocket.receive(into: &buffer, from: descriptor.raw)) ?? .endOfStream {
    case .bytes: reader.append(buffer.received)
    case .wouldBlock: return []
    case .descriptorLost, .endOfStream: return nil
    }
    var messages: [Message] = []
    while let line = reader.next() {
      if case .message(let message) = line.content { messages.append(message) }
    }
    return messages
  }
}
