/// From the channels of a session to those of the device, or the reverse. Channels without a speaker of their
/// own are heard as loud as through PulseAudio: the pairs behind the front at a tenth beside their side's
/// nine tenths, the centre at half on both sides.
///
/// No output is louder than the loudest input: the coefficients of an output are scaled down together until
/// they cannot clip. On one channel everything is heard as its mean (antiphase stereo is silence); on two and
/// more LFE is left out where the device has none.
package struct ChannelMap: Equatable, Sendable {
  package let inputs: Int
  package let outputs: Int
  package let isIdentity: Bool
  /// The coefficients of all inputs for the first output, then for the second, and so on.
  private let matrix: [Float]

  package init(from inputs: [SpeakerPosition], to outputs: [SpeakerPosition]) {
    (self.inputs, self.outputs) = (inputs.count, outputs.count)
    isIdentity = inputs == outputs
    matrix =
      isIdentity || outputs == [.mono]
      ? Self.plain(inputs.count, outputs.count, isIdentity: isIdentity)
      : Self.rows(from: inputs.naming(pairOf: outputs), to: outputs).flatMap(Self.unclipped)
  }

  package func coefficient(from input: Int, to output: Int) -> Float { matrix[output * inputs + input] }

  /// The two buffers must not overlap.
  package func map(
    _ samples: UnsafePointer<Float>, frames: Int, into mapped: UnsafeMutablePointer<Float>
  ) {
    switch (inputs, outputs) {
    case _ where isIdentity: unsafe mapped.update(from: samples, count: frames * inputs)
    case (1, 2):
      for frame in 0..<frames {
        let sample = unsafe samples[frame]
        unsafe mapped[2 &* frame] = sample
        unsafe mapped[2 &* frame &+ 1] = sample
      }
    case (2, 1):
      for frame in 0..<frames {
        unsafe mapped[frame] = 0.5 * (samples[2 &* frame] + samples[2 &* frame &+ 1])
      }
    default:
      unsafe matrix.withUnsafeBufferPointer { unsafe mix(samples, frames: frames, matrix: $0, into: mapped) }
    }
  }

  private func mix(
    _ samples: UnsafePointer<Float>, frames: Int, matrix: UnsafeBufferPointer<Float>,
    into mapped: UnsafeMutablePointer<Float>
  ) {
    for frame in 0..<frames {
      for output in 0..<outputs {
        var sum: Float = 0
        for input in 0..<inputs {
          unsafe sum += matrix[output &* inputs &+ input] * samples[frame &* inputs &+ input]
        }
        unsafe mapped[frame &* outputs &+ output] = sum
      }
    }
  }

  private static func plain(_ inputs: Int, _ outputs: Int, isIdentity: Bool) -> [Float] {
    (0..<inputs * outputs).map { index in
      isIdentity ? (index / inputs == index % inputs ? 1 : 0) : 1 / Float(inputs)
    }
  }

  private static func unclipped(_ row: [Float]) -> [Float] {
    let sum = row.reduce(0, +)
    return sum > 1 ? row.map { $0 / sum } : row
  }

  private static func rows(from inputs: [SpeakerPosition], to outputs: [SpeakerPosition]) -> [[Float]] {
    var rows = outputs.map { output in
      inputs.map { input -> Float in
        input == output || input == .mono && (output == .frontLeft || output == .frontRight) ? 1 : 0
      }
    }
    let lost = inputs.indices.filter { !outputs.contains(inputs[$0]) }
    let centres = lost.filter { inputs[$0].isCentre }
    for (row, output) in outputs.enumerated() {
      if !outputs.contains(where: { $0.isCentre }) {
        let own = centres.filter { inputs[$0].isHeard(on: output, of: outputs) }
        for centre in own { rows[row][centre] = 0.5 / Float(own.count) }
      } else if output.isCentre {
        blend(centres, into: &rows[row])
      }
      if output.isLeft { blend(lost.filter { inputs[$0].isLeft }, into: &rows[row]) }
      if output.isRight { blend(lost.filter { inputs[$0].isRight }, into: &rows[row]) }
    }
    return rows
  }

  private static func blend(_ channels: [Int], into row: inout [Float]) {
    guard !channels.isEmpty else { return }
    row = row.map { 0.9 * $0 }
    for channel in channels { row[channel] = 0.1 / Float(channels.count) }
  }
}
