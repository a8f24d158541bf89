import Lull
import LullMedia

/// Where the sound goes that was received. It has the clock: it asks for a frame when it needs one.
protocol FrameSink: AnyObject {
  /// Begins; `pull` writes the next samples, as many as there are in what it is given. The fewer at a time,
  /// the shorter they wait for each other.
  func start(
    _ application: Application, _ handler: @escaping (SinkEvent) -> Void,
    pull: @escaping (inout [Int16]) -> Void)
    throws
  func stop()
  /// What was written and is not heard yet, in milliseconds.
  var queued: Double { get }
}

/// What a sink says.
enum SinkEvent {
  /// It really runs now, and the program need not be kept awake for it by other means.
  case running
  /// It has ended, and why.
  case failed(String)
}

/// A sink on a clock, which writes a file or nothing.
final class ClockedSink: FrameSink {
  /// Samples at a time: 5 ms.
  private static let step = Opus.frame / 4
  private let file: SoundFile?
  private var clock: FrameClock?
  private var frame = [Int16](repeating: 0, count: ClockedSink.step)

  init(_ file: SoundFile?) {
    self.file = file
  }

  var queued: Double { 0 }

  func start(
    _ application: Application, _ handler: @escaping (SinkEvent) -> Void,
    pull: @escaping (inout [Int16]) -> Void
  )
    throws
  {
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

  private func write(_ frame: [Int16], _ handler: (SinkEvent) -> Void) {
    guard let file, clock != nil, !file.write(frame) else { return }
    stop()
    handler(.failed("the sound cannot be written to its file"))
  }
}
