import LullAudio
import TestSupport
import Testing

@Suite(.bounded) struct ChannelMapTests {
  private func mapped(_ samples: [Float], from inputs: Int, to outputs: Int) -> [Float] {
    let frames = samples.count / inputs
    var mapped = [Float](repeating: 9, count: frames * outputs)
    unsafe played(from: inputs, to: outputs).map(samples, frames: frames, into: &mapped)
    return mapped
  }

  /// From a session to a device.
  private func played(from inputs: Int, to outputs: Int) -> ChannelMap {
    ChannelMap(from: .session(inputs), to: .device(outputs))
  }

  @Test func `the same channels are copied`() {
    #expect(mapped([1, 2, 3, 4], from: 2, to: 2) == [1, 2, 3, 4])
    #expect(played(from: 4, to: 4).isIdentity && !played(from: 6, to: 6).isIdentity)
  }

  @Test func `one channel is heard on both sides`() {
    #expect(mapped([0.5, -1], from: 1, to: 2) == [0.5, 0.5, -1, -1])
  }

  @Test func `stereo on one channel is its mean, and antiphase is silence`() {
    #expect(mapped([1, 0.5, 0.3, -0.3, -1, -1], from: 2, to: 1) == [0.75, 0, -1])
  }

  @Test(
    arguments: [
      // What the null sinks of PulseAudio 16.1 with two and with four channels get.
      (3, 2, [0.667, 0, 0.333]), (4, 2, [0.9, 0, 0.1, 0]), (5, 2, [0.621, 0, 0.31, 0.069, 0]),
      (6, 2, [0.621, 0, 0.31, 0, 0.069, 0]), (7, 2, [0.621, 0, 0.155, 0, 0.155, 0.069, 0]),
      (8, 2, [0.621, 0, 0.31, 0, 0.034, 0, 0.034, 0]), (6, 4, [0.667, 0, 0.333, 0, 0, 0]),
      (8, 4, [0.621, 0, 0.31, 0, 0, 0, 0.069, 0]), (6, 1, [Double](repeating: 0.167, count: 6)),
    ] as [(Int, Int, [Double])])
  func `the left of fewer channels is as loud as PulseAudio's`(inputs: Int, outputs: Int, levels: [Double]) {
    let map = played(from: inputs, to: outputs)
    for (input, level) in levels.enumerated() {
      #expect(abs(Double(map.coefficient(from: input, to: 0)) - level) < 0.001, "channel \(input)")
    }
  }

  @Test func `the left and the right of a pair are alike`() {
    let map = played(from: 6, to: 2)
    for (left, right) in [(0, 1), (4, 5), (2, 2)] {
      #expect(map.coefficient(from: left, to: 0) == map.coefficient(from: right, to: 1))
      if left != right { #expect(map.coefficient(from: left, to: 1) == 0) }
    }
  }

  @Test func `each channel of a session comes to its own speaker, and back`() {
    #expect(mapped([1, 2, 3, 4, 5, 6], from: 6, to: 6) == [1, 2, 5, 6, 3, 4])
    #expect(mapped([1, 2, 3, 4, 5, 6, 7, 8], from: 8, to: 8) == [1, 2, 5, 6, 3, 4, 7, 8])
    #expect(mapped([1, 2, 3, 4, 5, 6, 7], from: 7, to: 7) == [1, 2, 6, 7, 3, 4, 5])
    let captured = ChannelMap(from: .device(6), to: .session(6))
    var frame = [Float](repeating: 9, count: 6)
    unsafe captured.map([1, 2, 5, 6, 3, 4], frames: 1, into: &frame)
    #expect(frame == [1, 2, 3, 4, 5, 6])
  }

  @Test func `no map can clip, and none loses a channel but LFE`() {
    for inputs in 1...8 {
      for outputs in 1...8 {
        let map = played(from: inputs, to: outputs)
        for output in 0..<outputs {
          let sum = (0..<inputs).reduce(0) { $0 + abs(map.coefficient(from: $1, to: output)) }
          #expect(sum <= 1.000_001, "\(inputs) to \(outputs)")
        }
        for input in 0..<inputs where !(inputs >= 6 && input == 3) {
          let heard = (0..<outputs).contains { map.coefficient(from: input, to: $0) > 0 }
          #expect(heard, "channel \(input) of \(inputs) on \(outputs)")
        }
      }
    }
  }

  @Test func `a map that mixes does as its coefficients say`() {
    let frame: [Float] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    for outputs in 1...7 {
      let map = played(from: 8, to: outputs)
      let out = mapped(frame + frame, from: 8, to: outputs)
      for output in 0..<outputs {
        let sum = (0..<8).reduce(Float(0)) { $0 + map.coefficient(from: $1, to: output) * frame[$1] }
        #expect(abs(out[output] - sum) < 1e-6 && abs(out[outputs + output] - sum) < 1e-6)
      }
    }
  }
}
