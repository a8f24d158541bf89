import TestSupport
import Testing

@testable import LullAudio

/// The position of a stream between two answers of its server, at 48 frames a millisecond.
@Suite(.bounded) struct PulsePositionTests {
  private let millisecond: Int64 = 1_000_000

  private func position(queued: Int, device: Int, isPlaying: Bool = true, written: Int = 24_000)
    -> PulsePosition
  {
    let timing = PulseTiming(queued: queued, device: device, ahead: 6000, isPlaying: isPlaying, at: 0)
    return PulsePosition(timing, written: written, rate: 48_000)
  }

  @Test func `time passes for what the server and the device have, and for what is written later`() {
    let position = position(queued: 12_000, device: 4800)
    #expect(position.played == 7200)
    #expect(position.delay(written: 24_000, now: 0) == 16_800)
    #expect(position.delay(written: 24_000, now: 100 * millisecond) == 12_000)
    #expect(position.delay(written: 28_800, now: 100 * millisecond) == 16_800)
    #expect(position.delay(written: 24_000, now: 1000 * millisecond) == 0)
    #expect(position.delay(written: 24_000, now: -5 * millisecond) == 16_800)
  }

  @Test func `no time passes for a stream that does not play, and it has to be asked again`() {
    let position = position(queued: 24_000, device: 2000, isPlaying: false)
    #expect(position.played == 0)
    #expect(position.delay(written: 24_000, now: 100 * millisecond) == 24_000)
    #expect(position.isStale(written: 24_000, now: 0))
  }

  @Test func `that it is at its end is not believed before the server says so`() {
    let position = position(queued: 4800, device: 0)
    #expect(!position.isStale(written: 24_000, now: 99 * millisecond))
    #expect(position.isStale(written: 24_000, now: 100 * millisecond))
    #expect(!position.isOld(now: 900 * millisecond) && position.isOld(now: 901 * millisecond))
    #expect(position.isStale(written: 240_000, now: 2001 * millisecond))
  }

  @Test(arguments: [(0, 6000), (7200, 7200)])
  func `a device takes ahead what it says, or what it was seen to take`(device: Int, ahead: Int) {
    #expect(position(queued: 0, device: device).ahead == ahead)
  }
}
