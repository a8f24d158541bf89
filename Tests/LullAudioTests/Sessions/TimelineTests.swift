import TestSupport
import Testing

@testable import LullAudio

/// The map from places on the device to frames of the ring.
@Suite(.bounded) struct TimelineTests {
  @Test func `pieces that follow on each other are one, and a gap counts as the frame behind it`() {
    var timeline = Timeline()
    timeline.append(device: 100, frames: 50, ring: 1000, ringFrames: 50)
    timeline.append(device: 150, frames: 50, ring: 1050, ringFrames: 50)
    #expect(timeline.count == 1)
    timeline.append(device: 300, frames: 10, ring: 1100, ringFrames: 10)
    #expect(timeline.ringPosition(at: 0) == 1000)
    #expect(timeline.ringPosition(at: 120) == 1020)
    #expect(timeline.ringPosition(at: 250) == 1100)
    #expect(timeline.ringPosition(at: 305) == 1105)
    #expect(timeline.ringPosition(at: 400) == 1110)
  }

  @Test func `frames of another rate are found in proportion`() {
    var timeline = Timeline()
    timeline.append(device: 0, frames: 48_000, ring: 0, ringFrames: 44_100)
    #expect(timeline.ringPosition(at: 24_000) == 22_050)
  }

  @Test func `what was not taken is cut off`() {
    var timeline = Timeline()
    timeline.append(device: 0, frames: 100, ring: 0, ringFrames: 100)
    timeline.append(device: 100, frames: 100, ring: 500, ringFrames: 100)
    timeline.truncate(at: 150)
    #expect(timeline.ringEnd == 550)
    timeline.truncate(at: 100)
    #expect(timeline.ringEnd == 100 && timeline.deviceEnd == 100)
    timeline.truncate(at: 0)
    #expect(timeline.ringEnd == nil)
  }

  @Test func `the oldest of very many pieces is forgotten`() {
    var timeline = Timeline()
    for index in 0..<100 {
      timeline.append(device: UInt64(index * 10), frames: 5, ring: UInt64(index * 5), ringFrames: 5)
    }
    #expect(timeline.count == 64)
    #expect(timeline.ringPosition(at: 992) == 497)
  }

  @Test func `a ramp is the same whenever it is asked for`() {
    var ramp = Ramp(1)
    ramp.go(to: 0, from: 1000, in: 100)
    #expect(ramp.value(at: 0) == 1 && ramp.value(at: 1000) == 1)
    #expect(ramp.value(at: 1050) == 0.5 && ramp.value(at: 1100) == 0 && ramp.end == 1100)
    ramp.go(to: 1, from: 1050, in: 100)
    #expect(ramp.value(at: 1050) == 0.5 && ramp.value(at: 1150) == 1)
  }
}
