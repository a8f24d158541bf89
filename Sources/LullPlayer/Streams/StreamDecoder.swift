public import Lull
internal import LullSystem

/// A sound that comes over http: a radio (Icecast, SHOUTcast) or a file, in MP3, Ogg Vorbis, Ogg Opus, FLAC
/// or AAC.
///
/// The stream is read when the output wants frames. Its connection wakes the program only while something is
/// missing: while it connects, and before the output runs dry.
public final class StreamDecoder: Decoding {
  /// Holds a descriptor as a line that wakes the program, until the closure that it returns is called.
  public typealias Holder = (Int32, @escaping () -> Void) throws(LullError) -> () -> Void

  /// Seconds that are decoded before the stream plays: at first, and at most after it has run dry.
  private static let (firstAhead, longestAhead) = (2.0, 10.0)

  private let receiver: StreamReceiver
  private let pipe: StreamPipe
  private let hold: Holder
  private var release: (() -> Void)?
  private var known: MediaDescription?
  private var holdFailure: String?
  private var isBuffering = true
  private var secondsAhead = StreamDecoder.firstAhead
  /// The frame that the next read begins with.
  public private(set) var frame: Int64 = 0
  /// Called when the state or the description has changed, or frames have come.
  public var onChange: (() -> Void)?

  /// Connects to a stream; `hold` holds its descriptor.
  public convenience init(url: String, hold: @escaping Holder) throws(DecodeError) {
    try self.init(url: url, patience: StreamReceiver.Patience(), hold: hold)
  }

  init(url: String, patience: StreamReceiver.Patience, hold: @escaping Holder) throws(DecodeError) {
    self.hold = hold
    do {
      receiver = try StreamReceiver(url, patience)
    } catch {
      throw .unreadable(error.message)
    }
    pipe = StreamPipe(receiver)
    listen()
  }

  deinit { release?() }

  /// The reason why the stream ended before its end; nil when it did not.
  public var shortfall: String? { failure }

  /// True when the stream has no end: a pause ends the connection, and playing begins the stream anew.
  public var isLive: Bool { receiver.isLive }

  /// Reads whole frames into the buffer.
  public func read(into samples: UnsafeMutableBufferPointer<Float>) -> DecodedFrames {
    guard let channels = known?.format.channels else { return .end }
    let room = samples.count / channels
    pipe.fill(frames: room, seconds: isBuffering ? secondsAhead : 0)
    if isBuffering, !hasEnough { return .pending }
    isBuffering = false
    let count = min(room, pipe.waiting)
    guard count > 0 else {
      guard isOver else { return .pending }
      letGo()
      return .end
    }
    unsafe pipe.move(count, into: samples)
    frame += Int64(count)
    return .frames(count)
  }

  /// Goes to a frame of a file; for an earlier frame the file is fetched once more. A radio has no other
  /// place than now.
  public func seek(to target: Int64) throws(DecodeError) {
    guard let known, target != frame else { return }
    let wanted = max(0, min(target, known.frames ?? target))
    if !isLive, wanted < frame { pipe.rewind(to: wanted) }
    if !isLive, wanted > frame { pipe.skip(wanted - frame) }
    frame = wanted
    isBuffering = true
    listen()
  }

  private var failure: String? { holdFailure ?? pipe.failure }
  private var isOver: Bool { failure != nil || pipe.isOver }
  private var hasEnough: Bool { isOver || pipe.waiting >= pipe.framesIn(secondsAhead) }
}

extension StreamDecoder {
  /// The state and the description; the tags of a radio change while it plays.
  public var state: DecoderState {
    guard var description = known else { return failure.map { .failed(.unreadable($0)) } ?? .opening }
    let response = receiver.response
    var info = StreamInfo(isLive: isLive, station: response?["icy-name"], bitRate: response?.bitRate)
    info.activity = isBuffering ? .buffering : .playing
    if case .waiting(_, let reason) = receiver.state { info.activity = .reconnecting(reason) }
    let station = Tags(title: response?["icy-name"], genre: response?["icy-genre"])
    let piece = receiver.title.map(IcyReader.tags) ?? Tags()
    description.tags = station.overridden(by: pipe.comments.tags).overridden(by: piece)
    (description.gain, description.stream) = (pipe.comments.gain, info)
    return .ready(description)
  }

  private func learn() {
    guard known == nil, failure == nil, let format = pipe.format, hasEnough else { return }
    do throws(DecodeError) {
      known = MediaDescription(format: try format.checked(), frames: pipe.frames)
    } catch {
      holdFailure = "\(error)"
    }
  }
}

extension StreamDecoder {
  /// The most bytes that the kernel keeps for a sleeping program.
  private static let largestWait = 1 << 19
  private static let runDry = 0.05

  /// Lets the stream wake the program before the output, with `seconds` left to play, runs dry.
  public func readAhead(queued seconds: Double) {
    let isFull = pipe.waiting > 0 && !isBuffering
    // A file waits at its server; a radio drops a client that does not read, unless it sends too fast.
    guard !isOver, !isFull || isLive && !receiver.isPaused else { return letGo() }
    if isFull {
      receiver.listen(forBytes: Self.largestWait, until: nil)
    } else {
      if seconds < Self.runDry { bufferMore() }
      waitForMore(patience: isBuffering ? secondsMissing : seconds / 2)
    }
    listen()
  }

  private func waitForMore(patience seconds: Double) {
    let bytes = min(Double(Self.largestWait), seconds * pipe.bytesPerSecond)
    let moment = seconds > 0 ? Clock.boottime() + Int64(saturating: seconds * 1e9) : nil
    receiver.listen(forBytes: Int(saturating: bytes), until: moment)
  }

  /// The output has run dry: more is to wait before it plays again.
  private func bufferMore() {
    guard !isBuffering else { return }
    isBuffering = true
    secondsAhead = min(Self.longestAhead, secondsAhead * 2)
  }

  /// Seconds of sound that are to come before the stream plays: in real time they take as long.
  private var secondsMissing: Double {
    guard let rate = known?.format.rate else { return 0 }
    return max(0, secondsAhead - Double(pipe.waiting) / Double(rate))
  }

  private func listen() {
    guard release == nil, failure == nil else { return }
    do throws(LullError) {
      release = try hold(receiver.descriptor) { [weak self] in self?.ring() }
    } catch {
      holdFailure = "the connection cannot be held: \(error)"
    }
  }

  private func letGo() {
    release?()
    release = nil
    receiver.ignore()
  }

  private func ring() {
    receiver.advance()
    pipe.fill(frames: 1, seconds: secondsAhead)
    learn()
    // What pauses has enough to play, and waits for no bytes.
    if isOver || receiver.isPaused { letGo() }
    onChange?()
  }
}

extension StreamDecoder {
  /// Opens files and streams, by an item's location: the ``DecoderOpener`` of an application of the modes
  /// `audio` and `externalAccessory`.
  public static func opener(_ application: Application) -> DecoderOpener {
    { [weak application] item throws(DecodeError) in
      guard case .stream(let url) = item.location else { return try FileDecoder.open(item) }
      guard let application else { throw .unreadable("the program has ended") }
      return try StreamDecoder(url: url) { descriptor, onReadable throws(LullError) in
        let line = try application.hold(descriptor, as: .accessory, onReadable: onReadable)
        return { line.release() }
      }
    }
  }
}
