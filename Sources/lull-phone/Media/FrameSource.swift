import Lull
import LullMedia
import LullSystem

protocol FrameSource: AnyObject {
  /// The handler is called for every frame of 20 ms.
  func start(_ application: Application, _ handler: @escaping (SourceEvent) -> Void) throws
  func stop()
}

enum SourceEvent {
  /// A frame of 960 samples.
  case frame([Int16])
  case skipped(Int)
  case device(DeviceEvent)
}

/// Makes sound for sources that have no clock of their own.
protocol FrameGenerator {
  /// Begins: the first sample is spoken at this moment of CLOCK_MONOTONIC in nanoseconds.
  mutating func begin(at moment: Int64)
  /// 960 samples.
  mutating func next(_ frame: inout [Int16])
  mutating func skip(frames: Int)
}

extension FrameGenerator {
  mutating func begin(at moment: Int64) {}
  mutating func skip(frames: Int) {}
}

final class ClockedSource: FrameSource {
  private var generator: any FrameGenerator
  private var clock: FrameClock?

  init(_ generator: any FrameGenerator) { self.generator = generator }

  func start(_ application: Application, _ handler: @escaping (SourceEvent) -> Void) throws {
    generator.begin(at: Clock.monotonic())
    clock = try FrameClock(application) { [weak self] due in self?.elapsed(due, handler) }
  }

  func stop() {
    clock?.stop()
    clock = nil
  }

  private func elapsed(_ due: Pace.Due, _ handler: (SourceEvent) -> Void) {
    if due.skipped > 0 {
      generator.skip(frames: due.skipped)
      handler(.skipped(due.skipped))
    }
    for _ in 0..<due.frames {
      var frame = [Int16](repeating: 0, count: Opus.frame)
      generator.next(&frame)
      handler(.frame(frame))
    }
  }
}
