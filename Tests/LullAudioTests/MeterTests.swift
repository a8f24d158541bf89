import LullAudio
import Testing

@Suite struct MeterTests {
  @Test func `a tone is heard and silence is not`() {
    var meter = Meter(rate: 48000, channels: 2)
    let silence = [Float](repeating: 0, count: 96000)
    let tone = (0..<96000).map { Float(0.1) * (($0 / 2) % 96 < 48 ? 1 : -1) }
    #expect(unsafe silence.withUnsafeBufferPointer { Array(unsafe meter.process($0)) } == [false])
    #expect(unsafe tone.withUnsafeBufferPointer { Array(unsafe meter.process($0)) } == [true])
  }
}
