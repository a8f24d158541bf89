final class StreamPipe {
  private static let piece = 1 << 14
  /// The most decoders in a row that found no sound.
  private static let mostFailures = 8
  /// The most bytes of samples that wait: a stream may tell any rate and many channels.
  private static let mostWaiting = 1 << 21
  /// 128 kbit/s, until a second of sound was decoded.
  private static let usualBytesPerSecond = 16_000.0

  private let receiver: StreamReceiver
  private(set) var format: SoundFormat?
  /// The reason why the stream cannot go on, in one clause.
  private(set) var failure: String?
  private(set) var frames: Int64?
  private var push: (any PushDecoder)?
  private var generation = 0
  private var head: [UInt8] = []
  private var samples = WaitingQueue<Float>()
  /// The bytes that were taken, and the seconds of sound in them.
  private var (takenBytes, takenSeconds) = (0.0, 0.0)
  /// The number of frames that are dropped when they come.
  private var toSkip: Int64 = 0
  private var failures = 0
  private var isFinished = false
  private var isDrained = false

  init(_ receiver: StreamReceiver) { self.receiver = receiver }

  var waiting: Int { format.map { samples.count / $0.channels } ?? 0 }
  /// True when no more frames come; some may wait.
  var isOver: Bool { failure != nil || isDrained }
  var comments: Comments { push?.comments ?? Comments() }
  var bytesPerSecond: Double { takenSeconds >= 1 ? takenBytes / takenSeconds : Self.usualBytesPerSecond }

  /// Decodes until `frames` frames and `seconds` of sound wait, as far as bytes are there.
  func fill(frames: Int, seconds: Double) {
    var hasObserved = false
    while !isOver, waiting < max(frames, framesIn(seconds)) {
      if generation != receiver.generation { begin() }
      if let push, decode(push) { continue }
      let bytes = isOver ? [] : receiver.take(Self.piece)
      if !bytes.isEmpty {
        take(bytes)
      } else if !hasObserved {
        hasObserved = true
        receiver.advance()
      } else {
        return noteEnd()
      }
    }
  }

  /// The number of frames in some seconds, as far as so many may wait; at least one, so that the format
  /// becomes known.
  func framesIn(_ seconds: Double) -> Int {
    guard let format else { return 1 }
    let most = Self.mostWaiting / (MemoryLayout<Float>.size * max(1, format.channels))
    return max(1, min(most, Int(seconds * Double(format.rate))))
  }

  func move(_ count: Int, into buffer: UnsafeMutableBufferPointer<Float>) {
    unsafe _ = buffer.update(fromContentsOf: samples.take(count * (format?.channels ?? 0)))
  }

  func skip(_ count: Int64) {
    toSkip += count
    dropSkipped()
  }

  func rewind(to frame: Int64) {
    receiver.rewind()
    begin()
    (samples, failure, toSkip) = (WaitingQueue(), nil, frame)
  }

  private func begin() {
    generation = receiver.generation
    (push, head, isFinished, isDrained) = (nil, [], false, false)
  }

  private func dropSkipped() {
    guard toSkip > 0, let format else { return }
    let count = Int(min(toSkip, Int64(waiting)))
    samples.take(count * format.channels)
    toSkip -= Int64(count)
  }

  private func fail(_ reason: String) {
    if failure == nil { failure = reason }
  }
}

extension StreamPipe {
  /// Decodes a step; false when bytes are needed, or the stream is over.
  private func decode(_ push: any PushDecoder) -> Bool {
    let before = samples.count
    let step = samples.append { push.decode(onto: &$0) }
    learn(push)
    // A seek forward drops what it decodes.
    let decoded = samples.count - before
    receiver.noteDecoded(samples: decoded)
    if let format { takenSeconds += Double(decoded / format.channels) / Double(format.rate) }
    dropSkipped()
    switch step {
    case .decoded:
      if decoded > 0 { failures = 0 }
      return failure == nil
    case .failed(let reason):
      recover(reason)
      return !isOver
    case .starving:
      if isFinished { isDrained = true }
      return false
    }
  }

  /// Begins with a new decoder, which finds its way: a radio may send anything between two pieces.
  private func recover(_ reason: String) {
    failures += 1
    if receiver.isLive, failures < Self.mostFailures { begin() } else { fail(reason) }
  }

  /// Takes bytes; they are kept until the kind of the stream is known.
  private func take(_ bytes: [UInt8]) {
    takenBytes += Double(bytes.count)
    if let push { return push.feed(bytes[...]) }
    head += bytes
    let type = receiver.response?.contentType ?? ""
    guard let kind = SoundKind(head, type: type) else { return }
    do throws(DecodeError) {
      let decoder = try kind.decoder(isLive: receiver.isLive, type: type)
      decoder.feed(head[...])
      (push, head) = (decoder, [])
    } catch {
      fail("\(error)")
    }
  }

  private func learn(_ push: any PushDecoder) {
    guard let new = push.format else { return }
    if format == nil { (format, frames) = (new, receiver.isLive ? nil : push.frames) }
    if format != new { fail("the stream has changed from \(format?.rate ?? 0) Hz to \(new.rate) Hz") }
  }

  private func noteEnd() {
    switch receiver.state {
    case .failed(let reason): fail(reason)
    case .ended:
      guard let push else { return fail("no sound that is known") }
      guard !isFinished else { return }
      isFinished = true
      push.finish()
      while !isOver, decode(push) {}
    case .connecting, .receiving, .waiting: return
    }
  }
}
