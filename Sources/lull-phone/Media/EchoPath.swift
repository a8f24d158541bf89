import LullMedia

/// The path from a call's speaker to its microphone, with the canceller of its echo.
final class EchoPath {
  private let canceller: EchoCanceller
  private var reference = EchoReference()
  /// The position that is heard now, in samples since the speaker began; nil while there is none.
  var heard: () -> UInt64? = { nil }

  init(_ settings: EchoCanceller.Settings) throws(CallError) {
    guard let canceller = EchoCanceller(settings) else {
      throw CallError("no memory for the echo canceller; --no-echo-cancellation does without it")
    }
    self.canceller = canceller
  }

  func play(_ frame: [Int16], at position: UInt64) { reference.play(frame, at: position) }

  /// Takes the echo out of a frame of the microphone; `waiting` is the number of samples captured since the
  /// frame's first sample, including it.
  func cancel(_ frame: inout [Int16], waiting: Int) {
    guard let heard = heard() else { return }
    let played = reference.next(frame.count, heard: Int64(clamping: heard) - Int64(waiting))
    canceller.cancel(&frame, played: played)
  }

  func deviceChanged() { reference.forgetStep() }
}
