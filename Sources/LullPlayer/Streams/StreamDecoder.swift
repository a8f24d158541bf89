internal import Lull
internal import LullSystem

/// A sound that comes over http: a radio (Icecast, SHOUTcast) or a file, in MP3, Ogg Vorbis, Ogg Opus, FLAC
/// or AAC.
///
/// The stream is read when the output wants frames. Its connection wakes the program only while something is
/// missing: while it connects, and before the output runs dry.
final class StreamDecoder: Decoding {
  /// Holds a descriptor as a line that wakes the program, until the closure that it returns is called.
  typealias Holder = (Int32, @escaping () -> Void) throws(LullError) -> () -> Void

  /// Seconds that are decoded before the stream plays: at first, and at most after it has run dry.
  private static let (firstAhead, longestAhead) = (2.0, 10.0)
  /// The most bytes that the kernel keeps for a sleeping program.
  private static let largestWait = 1 << 19
  /// Seconds that are as good as none.
  private static let runDry = 0.05
  private static let piece = 1 << 14
  /// The most decoders in a row that found no sound.
  private static let mostFailures = 8
  /// The most bytes of samples that wait: a stream may tell any rate and many channels.
  private static let mostWaiting = 1 << 21
  /// 128 kbit/s, until a second of sound was decoded.
  private static let usualBytesPerSecond = 16_000.0

  private let receiver: StreamReceiver
  private let hold: Holder
  private var release: (() -> Void)?
  private var known: MediaDescription?
  private(set) var frame: Int64 = 0
  /// The reason why the stream cannot go on, in one clause.
  private(set) var shortfall: String?
  var onChange: (() -> Void)?
  private var isBuffering = true
  private var secondsAhead = StreamDecoder.firstAhead

  private var push: (any PushDecoder)?
  private var generation = 0
  /// The first bytes, until they tell the kind of the stream.
  private var head: [UInt8] = []
  private var format: SoundFormat?
  private var frames: Int64?
  private var samples = WaitingQueue<Float>()
  /// The bytes that were taken, and the seconds of sound in them.
  private var (takenBytes, takenSeconds) = (0.0, 0.0)
  /// The number of frames that are dropped when they come.
  private var toSkip: Int64 = 0
  private var failures = 0
  private var isFinished = false
  private var isDrained = false

  /// Connects.
  init(
    url: String, patience: StreamReceiver.Patience = StreamReceiver.Patience(), hold: @escaping Holder
  ) throws(DecodeError) {
    self.hold = hold
    do {
      receiver = try StreamReceiver(url, patience)
    } catch {
      throw .unreadable(error.message)
    }
    listen()
  }

  deinit { release?() }

  var isLive: Bool { receiver.isLive }

  /// The tags of a radio change while it plays.
  var state: DecoderState {
    guard var description = known else { return shortfall.map { .failed(.unreadable($0)) } ?? .opening }
    let response = receiver.response
    var info = StreamInfo(isLive: isLive, station: response?["icy-name"], bitRate: response?.bitRate)
    info.activity = isBuffering ? .buffering : .playing
    if case .waiting(_, let reason) = receiver.state { info.activity = .reconnecting(reason) }
    let station = Tags(title: response?["icy-name"], genre: response?["icy-genre"])
    let comments = push?.comments ?? Comments()
    let piece = receiver.title.map(IcyReader.tags) ?? Tags()
    description.tags = station.overridden(by: comments.tags).overridden(by: piece)
    (description.gain, description.stream) = (comments.gain, info)
    return .ready(description)
  }

  func read(into buffer: UnsafeMutableBufferPointer<Float>) -> DecodedFrames {
    guard let channels = known?.format.channels else { return .end }
    let room = buffer.count / channels
    fill(frames: room, seconds: isBuffering ? secondsAhead : 0)
    if isBuffering, !hasEnough { return .pending }
    isBuffering = false
    let count = min(room, waiting)
    guard count > 0 else {
      guard isOver else { return .pending }
      letGo()
      return .end
    }
    unsafe _ = buffer.update(fromContentsOf: samples.take(count * channels))
    frame += Int64(count)
    return .frames(count)
  }

  /// For an earlier frame a file is fetched once more. A radio has no other place than now.
  func seek(to target: Int64) throws(DecodeError) {
    guard let known, target != frame else { return }
    let wanted = max(0, min(target, known.frames ?? target))
    if !isLive, wanted < frame {
      receiver.rewind()
      begin()
      (samples, shortfall, toSkip) = (WaitingQueue(), nil, wanted)
    } else if !isLive {
      toSkip += wanted - frame
      dropSkipped()
    }
    frame = wanted
    isBuffering = true
    listen()
  }

  /// Lets the stream wake the program before the output, with `seconds` left to play, runs dry.
  func readAhead(queued seconds: Double) {
    let isFull = waiting > 0 && !isBuffering
    // A file waits at its server; a radio drops a client that does not read, unless it sends too fast.
    guard !isOver, !isFull || isLive && !receiver.isPaused else { return letGo() }
    if isFull {
      receiver.listen(forBytes: Self.largestWait, until: nil)
    } else {
      if seconds < Self.runDry, !isBuffering {
        // More is to wait before it plays again.
        (isBuffering, secondsAhead) = (true, min(Self.longestAhead, secondsAhead * 2))
      }
      waitForMore(patience: isBuffering ? secondsMissing : seconds / 2)
    }
    listen()
  }

  private func waitForMore(patience seconds: Double) {
    let bytesPerSecond = takenSeconds >= 1 ? takenBytes / takenSeconds : Self.usualBytesPerSecond
    let bytes = min(Double(Self.largestWait), seconds * bytesPerSecond)
    let moment = seconds > 0 ? Clock.boottime() + Int64(saturating: seconds * 1e9) : nil
    receiver.listen(forBytes: Int(saturating: bytes), until: moment)
  }

  /// Seconds of sound that are to come before the stream plays: in real time they take as long.
  private var secondsMissing: Double {
    guard let rate = known?.format.rate else { return 0 }
    return max(0, secondsAhead - Double(waiting) / Double(rate))
  }

  private func listen() {
    guard release == nil, shortfall == nil else { return }
    do throws(LullError) {
      release = try hold(receiver.descriptor) { [weak self] in self?.ring() }
    } catch {
      fail("the connection cannot be held: \(error)")
    }
  }

  private func letGo() {
    release?()
    release = nil
    receiver.ignore()
  }

  private func ring() {
    receiver.advance()
    fill(frames: 1, seconds: secondsAhead)
    if known == nil, shortfall == nil, let format, hasEnough {
      do throws(DecodeError) {
        known = MediaDescription(format: try format.checked(), frames: frames)
      } catch {
        fail("\(error)")
      }
    }
    // What pauses has enough to play, and waits for no bytes.
    if isOver || receiver.isPaused { letGo() }
    onChange?()
  }

  // MARK: Decoding

  private var waiting: Int { format.map { samples.count / $0.channels } ?? 0 }
  /// True when no more frames come; some may wait.
  private var isOver: Bool { shortfall != nil || isDrained }
  private var hasEnough: Bool { isOver || waiting >= framesIn(secondsAhead) }

  /// Decodes until `frames` frames and `seconds` of sound wait, as far as bytes are there.
  private func fill(frames: Int, seconds: Double) {
    var hasAdvanced = false
    while !isOver, waiting < max(frames, framesIn(seconds)) {
      if generation != receiver.generation { begin() }
      if let push, decode(push) { continue }
      let bytes = isOver ? [] : receiver.take(Self.piece)
      if !bytes.isEmpty {
        take(bytes)
      } else if !hasAdvanced {
        hasAdvanced = true
        receiver.advance()
      } else {
        return noteEnd()
      }
    }
  }

  /// The number of frames in some seconds, as far as so many may wait; at least one, so that the format
  /// becomes known.
  private func framesIn(_ seconds: Double) -> Int {
    guard let format else { return 1 }
    let most = Self.mostWaiting / (MemoryLayout<Float>.size * max(1, format.channels))
    return max(1, min(most, Int(seconds * Double(format.rate))))
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

  private func fail(_ reason: String) { shortfall = shortfall ?? reason }

  /// Decodes a step; false when bytes are needed, or the stream is over.
  private func decode(_ push: any PushDecoder) -> Bool {
    let before = samples.count
    let step = samples.append { push.decode(onto: &$0) }
    if let new = push.format {
      if format == nil { (format, frames) = (new, isLive ? nil : push.frames) }
      if format != new { fail("the stream has changed from \(format?.rate ?? 0) Hz to \(new.rate) Hz") }
    }
    // A seek forward drops what it decodes.
    let decoded = samples.count - before
    receiver.noteDecoded(samples: decoded)
    if let format { takenSeconds += Double(decoded / format.channels) / Double(format.rate) }
    dropSkipped()
    switch step {
    case .decoded:
      if decoded > 0 { failures = 0 }
      return shortfall == nil
    case .failed(let reason):
      // A new decoder finds its way: a radio may send anything between two pieces.
      failures += 1
      if isLive, failures < Self.mostFailures { begin() } else { fail(reason) }
      return !isOver
    case .starving:
      if isFinished { isDrained = true }
      return false
    }
  }

  private func take(_ bytes: [UInt8]) {
    takenBytes += Double(bytes.count)
    if let push { return push.feed(bytes[...]) }
    head += bytes
    let type = receiver.response?.contentType ?? ""
    guard let kind = SoundKind(head, type: type) else { return }
    do throws(DecodeError) {
      let decoder = try kind.decoder(isLive: isLive, type: type)
      decoder.feed(head[...])
      (push, head) = (decoder, [])
    } catch {
      fail("\(error)")
    }
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
