import Lull

@testable import LullPlayer
@testable import lull_player

/// An output in virtual time: frames are heard when the test lets them, and a flush takes effect only then.
final class FakeOutput: SoundOutput {
  let format: AudioFormat
  let capacity: Int
  var gain: Float = 1
  private(set) var position: UInt64 = 0
  private(set) var state = AudioSession.State.idle
  /// Everything that was heard.
  private(set) var heard = Sound([])
  private(set) var isClosed = false
  /// The number of times that the output wanted frames.
  private(set) var wants = 0
  private let handler: (AudioSession.Event) -> Void
  private var stream: [UInt8] = []
  private var flushed: UInt64 = 0
  private var asked: Int?
  private var isDraining = false

  init(_ format: AudioFormat, capacity: Int, _ handler: @escaping (AudioSession.Event) -> Void) {
    (self.format, self.capacity, self.handler) = (format, capacity, handler)
  }

  var written: UInt64 { UInt64(stream.count / format.frameBytes) }
  var queued: Int { Int(written - position) }
  var writableFrames: Int { capacity - queued }

  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = min(writableFrames, bytes.count / format.frameBytes)
    unsafe stream += bytes.prefix(count * format.frameBytes)
    return count
  }

  func askForFrames(when queued: Int) { asked = queued }

  func play() {
    isDraining = false
    state = .running
  }

  func pause() { state = .paused }
  func stop() { state = .idle }
  func drain() { isDraining = true }
  func flush() { flushed = written }
  func close() { isClosed = true }

  /// Lets some frames be heard, and reports the events that follow.
  func hear(_ frames: Int) {
    position = max(position, flushed)
    if state == .running || state == .starved {
      let start = Int(position) * format.frameBytes
      let end = min(stream.count, start + frames * format.frameBytes)
      heard.bytes += stream[start..<end]
      position += UInt64((end - start) / format.frameBytes)
    }
    if let asked, queued < asked {
      self.asked = nil
      wants += 1
      handler(.wantsFrames)
    }
    if isDraining, queued == 0, state == .running {
      state = .drained
      handler(.stateChanged(.drained))
    }
  }

  func tell(_ event: AudioSession.Event) { handler(event) }
}

/// A player with such outputs.
final class Stage {
  let scratch: Scratch
  let player: QueuePlayer
  private(set) var changes: [QueuePlayer.Change] = []

  private final class Outputs {
    var all: [FakeOutput] = []
    var refusal: LullError?
    var streams: [FakeStream] = []
  }
  private let opened = Outputs()

  /// An output holds some seconds, and frames are asked for when fewer than `lowWater` seconds are left.
  init(seconds: Double = 2, lowWater: Double = 0.5) throws {
    scratch = try Scratch()
    let opened = opened
    let open: DecoderOpener = { item throws(DecodeError) in
      guard case .stream = item.location else { return try FileDecoder.open(item) }
      opened.streams.append(FakeStream())
      return opened.streams[opened.streams.count - 1]
    }
    player = QueuePlayer(lowWaterSeconds: lowWater, openDecoder: open) { format, handler throws(LullError) in
      if let refusal = opened.refusal { throw refusal }
      let output = FakeOutput(format, capacity: Int(seconds * Double(format.rate)), handler)
      opened.all.append(output)
      return output
    }
    player.observer = { [weak self] in self?.changes.append($0) }
  }

  var outputs: [FakeOutput] { opened.all }
  /// The streams that were opened.
  var streams: [FakeStream] { opened.streams }
  /// The last output.
  var output: FakeOutput { opened.all[opened.all.count - 1] }
  /// Everything that was heard, in the order of the outputs.
  var heard: Sound { Sound(opened.all.flatMap(\.heard.bytes)) }
  var title: String? { player.currentItem?.fileName }

  func refuseOutputs(_ error: LullError?) { opened.refusal = error }
  func forgetChanges() { changes = [] }

  /// Adds files of 16 bits with these frames, named a.wav, b.wav and so on.
  @discardableResult
  func add(_ sounds: [Int16]..., kind: Scratch.Kind = .wav16) throws -> [PlayerItem] {
    try sounds.enumerated().map { place, samples in
      let letter = Character(Unicode.Scalar(UInt8(97 + player.queue.items.count)))
      return try player.add(
        path: scratch.sound("\(letter).\(kind == .flac16 ? "flac" : "wav")", kind: kind, samples: samples))
    }
  }

  /// Lets everything be heard, in steps of an uneven size.
  func hearAll(step: Int = 777) {
    for _ in 0..<10_000 where player.status == .playing { output.hear(step) }
  }
}

extension QueuePlayer {
  @discardableResult
  func add(path: String) throws(DecodeError) -> PlayerItem { try add(QueueEntry(MediaLocation(path: path))) }
}
