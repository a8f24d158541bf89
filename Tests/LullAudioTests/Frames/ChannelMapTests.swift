import LullAudio
import TestSupport
import Testing

@Suite(.bounded) struct ChannelMapTests {
  private func mapped(_ samples: [Float], from inputs: Int, to outputs: Int) -> [Float] {
    let frames = samples.count / inputs
    var mapped = [Float](repeating: 9, count: frames * outputs)
    unsafe ChannelMap(from: inputs, to: outputs).map(samples, frames: frames, into: &mapped)
    return mapped
  }

  @Test func `the same channels are copied`() {
    #expect(mapped([1, 2, 3, 4], from: 2, to: 2) == [1, 2, 3, 4])
    #expect(ChannelMap(from: 6, to: 6).isIdentity)
  }

  @Test func `one channel is heard on both sides`() {
    #expect(mapped([0.5, -1], from: 1, to: 2) == [0.5, 0.5, -1, -1])
  }

  @Test func `stereo on one channel is its mean, and antiphase is silence`() {
    #expect(mapped([1, 0.5, 0.3, -0.3, -1, -1], from: 2, to: 1) == [0.75, 0, -1])
  }

  @Test func `5 channels and LFE on two have the relations of BS 775, without LFE`() {
    let map = ChannelMap(from: 6, to: 2)
    let left = (0..<6).map { map.coefficient(from: $0, to: 0) }
    let third = Float(0.5).squareRoot()
    let scale = 1 / (1 + 2 * third)
    for (found, should) in zip(left, [1, 0, third, 0, third, 0]) {
      #expect(abs(found - should * scale) < 1e-6)
    }
    let right = (0..<6).map { map.coefficient(from: $0, to: 1) }
    for (found, should) in zip(right, [0, 1, 0, third, third, 0]) {
      #expect(abs(found - should * scale) < 1e-6)
    }
  }

  @Test func `5 channels on one have the relations of BS 775`() {
    let map = ChannelMap(from: 6, to: 1)
    let third = Float(0.5).squareRoot()
    let scale = 1 / (2 * third + 2)
    for (input, should) in [third, third, 0.5, 0.5, 1, 0].enumerated() {
      #expect(abs(map.coefficient(from: input, to: 0) - should * scale) < 1e-6)
    }
  }

  @Test func `no map can clip, and none loses a channel but LFE`() {
    for inputs in 1...8 {
      for outputs in 1...8 {
        let map = ChannelMap(from: inputs, to: outputs)
        for output in 0..<outputs {
          let sum = (0..<inputs).reduce(0) { $0 + abs(map.coefficient(from: $1, to: output)) }
          #expect(sum <= 1.000_001, "\(inputs) to \(outputs)")
        }
        for input in 0..<inputs where !(inputs >= 6 && input == 5) {
          let heard = (0..<outputs).contains { map.coefficient(from: input, to: $0) > 0 }
          #expect(heard, "channel \(input) of \(inputs) on \(outputs)")
        }
      }
    }
  }

  @Test func `a map that mixes does as its coefficients say`() {
    let frame: [Float] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    for outputs in 1...7 {
      let map = ChannelMap(from: 8, to: outputs)
      let out = mapped(frame + frame, from: 8, to: outputs)
      for output in 0..<outputs {
        let sum = (0..<8).reduce(Float(0)) { $0 + map.coefficient(from: $1, to: output) * frame[$1] }
        #expect(abs(out[output] - sum) < 1e-6 && abs(out[outputs + output] - sum) < 1e-6)
      }
    }
  }
}
