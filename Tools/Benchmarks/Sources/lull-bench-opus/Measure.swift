import COpusFloor
import LullMedia

/// Microseconds per frame, block after block. The contestants take turns with the same sound, so that what
/// else the machine does meets them alike.
struct Results {
  private static let frames = 250

  private(set) var floor: [Double] = []
  private(set) var swift: [Double] = []
  private(set) var session: [Double] = []

  static func measure(blocks: Int) throws -> Results {
    var results = Results()
    let frames = speech()
    let sound = frames.flatMap(\.self)
    let floor = Floor()
    let codec = try Codec()
    let sessions = try Sessions()
    for block in 0...blocks {
      let times = (
        time { floor.run(sound) }, try time { try codec.run(frames) }, try time { try sessions.run(frames) }
      )
      // The first block warms up.
      guard block > 0 else { continue }
      results.floor.append(times.0)
      results.swift.append(times.1)
      results.session.append(times.2)
    }
    return results
  }

  private static func time(_ body: () throws -> Void) rethrows -> Double {
    let start = floor_now()
    try body()
    return Double(floor_now() - start) / 1000 / Double(frames)
  }

  /// Speech-like: a buzz whose pitch and loudness change, with pauses, and a little noise. The same in each
  /// run.
  private static func speech() -> [[Int16]] {
    var seed: UInt32 = 1
    var phase = 0.0
    return (0..<frames).map { frame in
      (0..<Opus.frame).map { index in
        seed = seed &* 1_664_525 &+ 1_013_904_223
        let second = Double(frame * Opus.frame + index) / Double(Opus.rate)
        let syllable = (second * 4).truncatingRemainder(dividingBy: 1)
        phase += (110 + 40 * syllable) / Double(Opus.rate)
        let buzz = phase.truncatingRemainder(dividingBy: 1) * 2 - 1
        let loudness = second.truncatingRemainder(dividingBy: 2) < 1.5 ? syllable * (1 - syllable) * 4 : 0
        let noise = Double(Int32(bitPattern: seed)) / Double(Int32.max)
        return Int16(buzz * loudness * 9000 + noise * 60)
      }
    }
  }
}

/// libopus called from C.
@safe private final class Floor {
  private let codec: OpaquePointer
  private var heard = [Int16](repeating: 0, count: Opus.frame)

  init() {
    guard let opened = unsafe floor_open() else { preconditionFailure("out of memory") }
    unsafe codec = opened
  }

  deinit { unsafe floor_close(codec) }

  func run(_ sound: [Int16]) {
    let bytes = unsafe floor_run(codec, sound, Int32(sound.count / Opus.frame), &heard)
    precondition(bytes > 0, "libopus failed")
  }
}

/// The encoder and the decoder of a call.
private final class Codec {
  private var encoder: OpusEncoder
  private var decoder: OpusDecoder
  private var packet: [UInt8] = []
  private var heard: [Int16] = []

  init() throws {
    encoder = try OpusEncoder()
    decoder = try OpusDecoder()
  }

  func run(_ frames: [[Int16]]) throws {
    for frame in frames {
      heard.removeAll(keepingCapacity: true)
      try encoder.encode(frame.span, into: &packet)
      try decoder.decode(packet[...], onto: &heard)
    }
  }
}

/// One who speaks and one who listens.
private final class Sessions {
  private var speaker: MediaSession
  private var listener: MediaSession
  private var now: Int64 = 0
  private var heard: [Int16] = []

  init() throws {
    speaker = try MediaSession()
    listener = try MediaSession()
  }

  func run(_ frames: [[Int16]]) throws {
    for frame in frames {
      if let datagram = try speaker.datagram(for: frame.span) { _ = listener.receive(datagram[...], at: now) }
      listener.play(into: &heard, at: now)
      now += 20_000_000
    }
  }
}

extension [Double] {
  /// The middle one.
  var median: Double { sorted()[count / 2] }
}
