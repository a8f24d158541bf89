/// The play position of a stream. Between two answers of its server the clock advances it.
struct PulsePosition: Equatable {
  let rate: Int
  /// Frames played, of those that were written since the stream was empty.
  let played: Int
  /// The frames that the device takes ahead of the frame that plays.
  let ahead: Int
  private let isPlaying: Bool
  private let at: Int64

  init(_ timing: PulseTiming, written: Int, rate: Int) {
    self.rate = rate
    played = max(0, written - timing.queued - timing.device)
    ahead = max(timing.ahead, timing.device)
    (isPlaying, at) = (timing.isPlaying, timing.at)
  }

  /// Frames written and not played at a moment of CLOCK_MONOTONIC.
  func delay(written: Int, now: Int64) -> Int {
    max(0, written - played - elapsed(now: now))
  }

  /// True when the position must be asked for anew: it is trusted for two seconds, and never when it says
  /// that the stream is at its end, because the stream may stand still.
  func isStale(written: Int, now: Int64) -> Bool {
    !isPlaying || now - at > 2_000_000_000 || delay(written: written, now: now) == 0
  }

  /// True when the server should be asked again, without waiting for the answer.
  func isOld(now: Int64) -> Bool { now - at > 900_000_000 }

  private func elapsed(now: Int64) -> Int {
    isPlaying ? Int(min(max(0, now - at), 10_000_000_000)) * rate / 1_000_000_000 : 0
  }
}
