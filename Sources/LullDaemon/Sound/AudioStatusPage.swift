import LullRing
import LullSystem
import LullWire

/// The page that lull-audio writes for `status` (its layout: Sources/LullAudio/Sessions/StatusPage.swift).
/// lull-audio may be in the middle of a record while it is read: a figure can then be a tenth of a second
/// old.
struct AudioStatusPage {
  struct Record {
    let state: SessionState
    /// LB in dB; nil for silence.
    let level: Double?
    let queuedFrames: UInt64
    let isAudible: Bool
    let starved: UInt32
    let device: Vocabulary.DeviceState
  }

  private static let recordBytes = 64
  static let maximumRecords = 1023
  static let bytes = recordBytes * (maximumRecords + 1)

  private let memory: SharedMemory

  init(_ memory: SharedMemory) { self.memory = memory }

  var device: (state: Vocabulary.DeviceState, name: String) {
    let bytes = (0..<48).map { load(UInt8.self, at: 16 + $0) }.prefix { $0 != 0 }
    return (deviceState(at: 12), String(decoding: bytes, as: UTF8.self))
  }

  func record(of session: UInt32) -> Record? {
    let count = min(Int(load(UInt32.self, at: 8)), Self.maximumRecords)
    guard let index = (0..<count).first(where: { load(UInt64.self, at: start($0)) == UInt64(session) }) else {
      return nil
    }
    let begin = start(index)
    let (level, state) = (load(Int32.self, at: begin + 8), load(UInt32.self, at: begin + 12))
    return Record(
      state: SessionState(ringNumber: state) ?? .idle,
      level: level == .max || level == .min ? nil : Double(level) / 100,
      queuedFrames: load(UInt64.self, at: begin + 24), isAudible: load(UInt32.self, at: begin + 32) != 0,
      starved: load(UInt32.self, at: begin + 36), device: deviceState(at: begin + 40))
  }

  private func deviceState(at offset: Int) -> Vocabulary.DeviceState {
    let states: [Vocabulary.DeviceState] = [.closed, .open, .none]
    let number = Int(load(UInt32.self, at: offset))
    return states.indices.contains(number) ? states[number] : .none
  }

  private func start(_ index: Int) -> Int { Self.recordBytes * (index + 1) }

  private func load<Value: BitwiseCopyable>(_ type: Value.Type, at offset: Int) -> Value {
    unsafe memory.base.loadUnaligned(fromByteOffset: offset, as: type)
  }
}
