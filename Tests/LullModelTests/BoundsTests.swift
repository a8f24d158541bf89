import LullModel
import TestSupport
import Testing

@Suite(.bounded) struct BoundsTests {
  @Test func `a keep-alive is at least 600 s long, and 128 notifications are scheduled at most`() {
    #expect(Bounds.shortestKeepAlive == .seconds(600))
    #expect(Bounds.scheduledNotifications == 128)
  }

  @Test func `no bound is beyond the longest duration`() {
    let ranges = [
      Bounds.timerFloors, Bounds.tcpKeepAlives, Bounds.udpKeepAlives, Bounds.lingers, Bounds.silences,
      Bounds.wakeBatches, Bounds.latencies,
    ]
    for range in ranges { #expect(range.lowerBound >= .zero && range.upperBound <= Bounds.longest) }
  }

  @Test func `a session's frames are within the bounds`() {
    #expect(FrameFormat(rate: Bounds.sampleRates.lowerBound, channels: 8, sample: .u8) != nil)
    #expect(FrameFormat(rate: Bounds.sampleRates.upperBound + 1, channels: 8, sample: .u8) == nil)
    #expect(FrameFormat(rate: 48_000, channels: Bounds.channels.upperBound + 1, sample: .f32) == nil)
  }
}
