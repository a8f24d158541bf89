import LullSystem
import LullWire

/// The daemon's end of the socket to lull-audio, its process, and the board on which it shows how the sessions stand.
final class SoundLink {
  static let linkNumber: Int32 = 3, boardNumber: Int32 = 4

  let descriptor: DescriptorBox
  let pidfd: DescriptorBox
  let board: SoundBoard
  private var reader = LineReader()
  private var output: [(bytes: [UInt8], descriptor: DescriptorBox?)] = []

  /// Starts lull-audio, which stands beside the daemon's own program.
  init(openFileLimit: Int?) throws(SystemError) {
    let (own, other) = try UnixSocket.pair()
    let (memory, file) = try SharedMemory.create(name: "lull-board", count: SoundBoard.bytes)
    var arguments = [try Startup.sibling("lull-audio")]
    if let device = Identity.environment("LULL_SOUND_DEVICE") { arguments += ["--device", device] }
    if let seconds = Identity.environment("LULL_SOUND_CLOSE_AFTER") {
      arguments += ["--close-after", seconds]
    }
    var request = SpawnRequest(arguments)
    request.passed = [.init(other.raw, as: Self.linkNumber), .init(file.raw, as: Self.boardNumber)]
    request.group = .newSession
    request.openFileLimit = openFileLimit
    let (pidfd, status) = try Process.spawn(request).boxes()
    _ = try Socket.poll(status.raw, .readable, timeoutMilliseconds: 1000)
    if case .failed(let error) = try Process.execResult(status.raw) { throw error }
    (descriptor, self.pidfd, board) = (own, pidfd, SoundBoard(memory))
  }

  /// More lines than this wait for a lull-audio that does not read: it hangs.
  private static let maximumOutput = 4096
  /// It has to be ended, and another one to be told everything anew.
  private(set) var isStuck = false

  /// Whether something waits for room in the socket.
  var hasOutput: Bool { !output.isEmpty }

  func tell(_ message: Message, _ passed: DescriptorBox? = nil) {
    var bytes: [UInt8] = []
    message.encodeTruncating(into: &bytes)
    output.append((bytes, passed))
    flush()
  }

  /// Writes what there is room for: the daemon waits for nobody who plays sound.
  func flush() {
    isStuck = isStuck || output.count > Self.maximumOutput
    while !isStuck, let first = output.first {
      let count: Int
      do throws(SystemError) {
        let raw = first.descriptor?.raw
        guard case .sent(let sent) = try UnixSocket.send(first.bytes, descriptor: raw, to: descriptor.raw)
        else { return }
        count = sent
      } catch {
        // A descriptor could not be sent (too many on their way): trying again at once would spin.
        isStuck = true
        return
      }
      output[0].bytes.removeFirst(count)
      output[0].descriptor = nil
      if output[0].bytes.isEmpty { output.removeFirst() }
    }
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
