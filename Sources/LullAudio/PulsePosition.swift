/// What a stream has played, between two answers of its server: the clock goes on.
struct PulsePosition: Equatable {
  /// Frames per second.
  let rate: Int
  /// Frames that were heard of those that were written since the stream was empty.
  let heard: Int
  /// What the device takes ahead of what is heard.
  let ahead: Int
  private let isPlaying: Bool
  private let at: Int64

  /// At an answer of the server.
  init(_ timing: PulseTiming, written: Int, rate: Int) {
    self.rate = rate
    heard = max(0, written - timing.queued - timing.device)
    ahead = max(timing.ahead, timing.device)
    (isPlaying, at) = (timing.isPlaying, timing.at)
  }

  /// Frames that are written and not heard at a moment of CLOCK_MONOTONIC.
  func delay(written: Int, now: Int64) -> Int {
    max(0, written - heard - elapsed(now: now))
  }

  /// What it says is to be believed only for a while, and never that the stream is at its end: it may stand
  /// still.
  func isStale(written: Int, now: Int64) -> Bool {
    !isPlaying || now - at > 2_000_000_000 || delay(written: written, now: now) == 0
  }

  /// It is time to ask again, without waiting for the answer.
  func isOld(now: Int64) -> Bool { now - at > 900_000_000 }

  private func elapsed(now: Int64) -> Int {
    isPlaying ? Int(min(max(0, now - at), 10_000_000_000)) * rate / 1_000_000_000 : 0
  }
}
