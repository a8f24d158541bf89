import Lull
import LullSystem
import Synchronization
import TestSupport
import Testing

@testable import LullPlayer

/// Tests/Support/stream-server.py over a folder of the test's own.
final class StreamServer {
  let scratch: Scratch
  private let port: Int
  /// The test's end of the server's input; the server ends when it is closed.
  private let life: DescriptorBox

  init() throws {
    scratch = try Scratch()
    let script = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    var request = SpawnRequest(["python3", "-I", "-S", script + "/Support/stream-server.py", scratch.path])
    let (near, far) = try UnixSocket.pair()
    (request.standardInput, request.standardOutput) = (far.raw, far.raw)
    _ = try Process.spawn(request)
    far.close()
    life = near
    var line = ReceiveBuffer(capacity: 64)
    try ready(near.raw, .readable, "no server")
    _ = try Socket.read(near.raw, into: &line)
    port = try #require(Int(String(decoding: line.received.dropLast(), as: UTF8.self)))
  }

  deinit { life.close() }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

  /// The requests: the path and the range.
  func log() throws -> [String] {
    let bytes = try Files.read(scratch.path + "/log", limit: 1 << 20)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
  }

  /// Some frames of a tone as an MP3, FLAC, Vorbis or Opus file.
  @discardableResult
  func tone(_ name: String, _ kind: Scratch.Kind, seconds: Double = 3, rate: Int32 = 48000) throws -> [Int16]
  {
    let tone = try Tone.file(kind, seconds: seconds, rate: rate)
    try scratch.file(name, tone.bytes)
    return tone.samples
  }

  /// The frames of a file when it is played as a file, not as a stream.
  func samples(_ name: String) throws -> [Float] {
    let file = try FileDecoder(path: Array("\(scratch.path)/\(name)".utf8))
    var whole: [Float] = []
    var block = [Float](repeating: 0, count: 96000)
    while case .frames(let count) = unsafe block.withUnsafeMutableBufferPointer({ unsafe file.read(into: $0) }
    ) {
      whole += block[..<(count * 2)]
    }
    return whole
  }
}

/// 440 and 880 Hz, without the C library's mathematics.
struct Tone {
  let samples: [Int16]
  /// The bytes of the file.
  let bytes: [UInt8]
  private static let made = Mutex<[String: Tone]>([:])

  /// The files: each is made once in a run.
  static func file(_ kind: Scratch.Kind, seconds: Double, rate: Int32) throws -> Tone {
    try made.withLock { made in
      let name = "\(kind) \(seconds) \(rate)"
      if let tone = made[name] { return tone }
      let samples = samples(seconds: seconds, rate: rate)
      let scratch = try Scratch()
      let path = try scratch.sound("tone", kind: kind, samples: samples, rate: rate)
      let bytes = try withExtendedLifetime(scratch) { try Files.read(path, limit: 1 << 24) }
      let tone = Tone(samples: samples, bytes: bytes)
      made[name] = tone
      return tone
    }
  }

  private static func samples(seconds: Double, rate: Int32) -> [Int16] {
    let second = (0..<Int(rate)).flatMap { frame -> [Int16] in
      let phase = Double(frame) / Double(rate) * 440 * 2 * .pi
      return [Int16(Mathematics.sine(phase) * 12000), Int16(Mathematics.sine(2 * phase) * 6000)]
    }
    let count = Int(seconds * Double(rate)) * 2
    var whole: [Int16] = []
    while whole.count < count { whole += second }
    return Array(whole[..<count])
  }
}

/// A stream decoder with a loop of its own: the loop waits for the descriptor as lulld does for a sleeping
/// program.
final class StreamListener {
  private final class Held {
    var descriptor: Int32?
    var onReadable: () -> Void = {}
  }

  let decoder: StreamDecoder
  private let held = Held()
  private(set) var wakes = 0
  private(set) var samples: [Float] = []

  /// Connects; a lost connection is made again after 20 ms.
  init(_ url: String, silence: Int64 = 20_000_000_000) throws {
    let held = held
    let patience = StreamReceiver.Patience(silence: silence, retry: 20_000_000)
    decoder = try StreamDecoder(url: url, patience: patience) { descriptor, onReadable throws(LullError) in
      (held.descriptor, held.onReadable) = (descriptor, onReadable)
      return { held.descriptor = nil }
    }
  }

  var isHeld: Bool { held.descriptor != nil }

  /// Waits until the connection has an event.
  func wake() throws {
    let descriptor = try #require(held.descriptor, "nothing is waited for")
    try ready(descriptor, .readable, "the stream says nothing")
    wakes += 1
    held.onReadable()
  }

  /// Waits until the description is known.
  func open() throws -> DecoderState {
    while decoder.state == .opening { try wake() }
    return decoder.state
  }

  /// Reads the frames that are there, up to a limit. True at the end.
  func read(_ frames: Int, queued: Double = 0.5) throws -> Bool {
    let channels = decoder.description?.format.channels ?? 2
    var block = [Float](repeating: 0, count: frames * channels)
    let outcome = unsafe block.withUnsafeMutableBufferPointer { unsafe decoder.read(into: $0) }
    switch outcome {
    case .frames(let count): samples += block[..<(count * channels)]
    case .pending: decoder.readAhead(queued: queued)
    case .end: return true
    }
    return false
  }

  /// Reads some frames, or to the end.
  func hear(_ frames: Int = .max) throws {
    let channels = decoder.description?.format.channels ?? 2
    while samples.count / channels < frames {
      let before = samples.count
      if try read(min(48000, frames - samples.count / channels)) { return }
      if samples.count == before { try wake() }
    }
  }
}
