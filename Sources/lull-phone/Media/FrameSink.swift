import Lull
import LullMedia

/// A sink of the received sound. The sink has the clock: it asks for samples when it needs them.
protocol FrameSink: AnyObject {
  /// Begins; `pull` fills its argument with the next samples. The fewer at a time, the shorter the delay.
  func start(
    _ application: Application, _ handler: @escaping (DeviceEvent) -> Void,
    pull: @escaping (inout [Int16]) -> Void
  ) throws
  func stop()
  /// The sound that was written and is not heard yet, in milliseconds.
  var queued: Double { get }
}

enum DeviceEvent {
  /// The device runs now and keeps the program awake by itself.
  case running
  case failed(String)
}

/// A sink on a clock, which writes a file or nothing.
final class ClockedSink: FrameSink {
  /// Samples at a time: 5 ms.
  private static let step = Opus.frame / 4
  private let file: AudioFile?
  private var clock: FrameClock?
  private var frame = [Int16](repeating: 0, count: ClockedSink.step)

  init(_ file: AudioFile?) { self.file = file }

  var queued: Double { 0 }

  func start(
    _ application: Application, _ handler: @escaping (DeviceEvent) -> Void,
    pull: @escaping (inout [Int16]) -> Void
  ) throws {
    clock = try FrameClock(application, step: Pace.frame / 4) { [weak self] due in
      guard let self else { return }
      for _ in 0..<due.frames {
        pull(&frame)
        write(frame, handler)
      }
    }
  }

  func stop() {
    clock?.stop()
    clock = nil
  }

  private func write(_ frame: [Int16], _ handler: (DeviceEvent) -> Void) {
    guard let file, clock != nil, !file.write(frame) else { return }
    stop()
    handler(.failed("the sound cannot be written to its file"))
  }
}
