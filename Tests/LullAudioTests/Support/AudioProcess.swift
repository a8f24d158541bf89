import LullAudio
import LullRing
import LullSystem
import LullWire
import TestSupport
import Testing

/// lull-audio as a process, with this test in lulld's place.
final class AudioProcess {
  let child: Child
  let statusPage: SharedMemory
  private let statusFile: DescriptorBox
  private(set) var link: DescriptorBox
  private let errors: DescriptorBox
  private var reader = LineReader()
  private var buffer = ReceiveBuffer(capacity: 4096)
  private var errorText = ""
  /// The messages of lull-audio, without those that were waited for.
  private(set) var messages: [Message] = []

  init(_ sink: AudioSink, _ arguments: [String] = []) throws {
    var request = sink.request([try Built.program("lull-audio")] + arguments)
    let (here, there) = try UnixSocket.pair()
    let (errorHere, errorThere) = try UnixSocket.pair()
    let statusPage = try SharedMemory.create(name: "status", count: 64 * 33)
    request.passed = [.init(there.raw, as: 3)]
    request.standardError = errorThere.raw
    child = try Child(request)
    (self.statusPage, statusFile, link, errors) = (statusPage.memory, statusPage.descriptor, here, errorHere)
    there.close()
    errorThere.close()
    try tellStatusPage()
  }

  func tellStatusPage() throws { try tell("status-page", descriptor: statusFile.raw) }

  /// Ends as lulld does in an upgrade; from then on the next one is at this end.
  func follow() throws {
    let (here, there) = try UnixSocket.pair()
    try tell("linger", descriptor: there.raw)
    there.close()
    link.close()
    (link, reader, messages) = (here, LineReader(), [])
  }

  func tell(_ line: String, descriptor: Int32? = nil) throws {
    let outcome = try UnixSocket.send(Array("\(line)\n".utf8), descriptor: descriptor, to: link.raw)
    // The race: one that refuses its options has ended already.
    #expect(outcome == .sent(line.utf8.count + 1) || outcome == .closed)
  }

  private func receive() throws {
    guard case .bytes = try Socket.read(link.raw, into: &buffer) else { return }
    reader.append(buffer.received)
    while let line = reader.next() {
      if case .message(let message) = line.content { messages.append(message) }
    }
  }

  /// Waits for a message and takes it out.
  @discardableResult
  func message(_ verb: String) throws -> Message {
    try eventually("lull-audio does not say \(verb), but \(messages)") {
      try receive()
      return messages.contains { $0.verb == verb }
    }
    return messages.remove(at: messages.firstIndex { $0.verb == verb } ?? 0)
  }

  /// Receives without waiting; true when a message with this verb has come.
  func said(_ verb: String) throws -> Bool {
    try receive()
    return messages.contains { $0.verb == verb }
  }

  /// The text on standard error, with at least one whole text line.
  func complaint() throws -> String {
    try eventually("no complaint") {
      if case .bytes = try Socket.read(errors.raw, into: &buffer) {
        errorText += String(decoding: buffer.received, as: UTF8.self)
      }
      return errorText.hasSuffix("\n")
    }
    return errorText
  }
}

/// A session as its program sees it.
final class TestSession {
  private(set) var id: UInt64
  let memory: SharedMemory
  let file: DescriptorBox
  private(set) var doorbell: DescriptorBox
  private let fields: String
  let format: FrameFormat
  let frames: Int
  private var buffer = ReceiveBuffer(capacity: 64)
  private(set) var written: UInt64 = 0

  enum Word: Int {
    case written = 0
    case flushed = 8
    case doorbellAt = 16
    case transport = 24
    case gain = 28
    case moved = 64
    case taken = 72
    case movedAt = 80
    case state = 88
    case error = 92
    case starved = 96
    case rungFor = 100
  }

  init(
    _ process: AudioProcess, id: UInt64 = 1, rate: Int = 48_000, channels: Int = 2,
    sample: SampleFormat = .s16,
    frames: Int = 24_000, direction: String = "play", _ more: String = "order=play",
    words: [(Word, UInt64)] = []
  ) throws {
    (self.id, self.frames) = (id, frames)
    fields =
      "category=playback direction=\(direction) rate=\(rate) channels=\(channels)"
      + " format=\(sample.rawValue) frames=\(frames) \(more)"
    format = try #require(FrameFormat(rate: rate, channels: channels, sample: sample))
    (memory, file) = try SharedMemory.create(name: "ring", count: 4096 + frames * format.frameBytes)
    let (here, there) = try UnixSocket.pair()
    doorbell = here
    set32(.gain, Float(1).bitPattern)
    for (word, value) in words { set64(word, value) }
    try tell(process, there)
  }

  /// Opens the session under another number, with a new doorbell.
  func openAgain(_ process: AudioProcess, id: UInt64) throws {
    let (here, there) = try UnixSocket.pair()
    (self.id, doorbell) = (id, here)
    try tell(process, there)
    try look()
  }

  private func tell(_ process: AudioProcess, _ theirs: DescriptorBox) throws {
    try process.tell("ring", descriptor: file.raw)
    try process.tell("doorbell", descriptor: theirs.raw)
    try process.tell("open session=\(id) program=\(id) \(fields)")
    theirs.close()
  }

  func get64(_ word: Word) -> UInt64 {
    unsafe memory.base.loadUnaligned(fromByteOffset: word.rawValue, as: UInt64.self)
  }

  func get32(_ word: Word) -> UInt32 {
    unsafe memory.base.loadUnaligned(fromByteOffset: word.rawValue, as: UInt32.self)
  }

  func set64(_ word: Word, _ value: UInt64) {
    unsafe memory.base.storeBytes(of: value, toByteOffset: word.rawValue, as: UInt64.self)
  }

  func set32(_ word: Word, _ value: UInt32) {
    unsafe memory.base.storeBytes(of: value, toByteOffset: word.rawValue, as: UInt32.self)
  }

  var moved: UInt64 { get64(.moved) }
  var state: SessionState? { SessionState(ringNumber: get32(.state)) }
  var room: Int { frames - Int(written - moved) }

  /// Writes as many of these frames of 16 bits stereo as find room.
  @discardableResult
  func write(_ content: ArraySlice<UInt32>) -> Int {
    let count = min(room, content.count)
    for (offset, frame) in content.prefix(count).enumerated() {
      let place = 4096 + (Int(written) + offset) % frames * 4
      unsafe memory.base.storeBytes(of: frame, toByteOffset: place, as: UInt32.self)
    }
    written += UInt64(count)
    set64(.written, written)
    return count
  }

  /// The frame of 16 bits stereo at a position.
  func frame(_ position: UInt64) -> UInt32 {
    unsafe memory.base.loadUnaligned(
      fromByteOffset: 4096 + Int(position % UInt64(frames)) * 4, as: UInt32.self)
  }

  func look() throws { _ = try Socket.write(doorbell.raw, [1]) }

  func setTransport(_ transport: RingRequest.Transport) throws {
    set32(.transport, transport.rawValue)
    try look()
  }

  func await(_ wanted: SessionState) throws {
    try eventually("the session is not \(wanted), but \(String(describing: state))") { state == wanted }
  }

  /// Plays frames as a program does that fills its ring whenever there is room, then drains it.
  func play(_ content: [UInt32], while each: () throws -> Void = {}) throws {
    var next = 0
    next += write(content[next...])
    try setTransport(.play)
    while next < content.count {
      try eventually("the ring is not read: moved \(moved), written \(written)") {
        try each()
        return room >= min(frames / 4, content.count - next)
      }
      let before = state
      next += write(content[next...])
      if before == .starved { try look() }
    }
    try setTransport(.drain)
    try eventually("the session is not drained") {
      try each()
      return state == .drained
    }
  }
}

/// Frames of which each stands out, so that it can be found again: never silence.
func noise(_ count: Int, seed: UInt32 = 1) -> [UInt32] {
  var value = seed &* 2_654_435_761 | 1
  return (0..<count).map { _ in
    value ^= value << 13
    value ^= value >> 17
    value ^= value << 5
    return value == 0 ? 1 : value
  }
}
