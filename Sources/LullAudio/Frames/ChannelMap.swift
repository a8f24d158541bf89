/// From the channels of a session to those of the device, with the coefficients of ITU-R BS.775 (annex 4)
/// where they become fewer. Channels are in ALSA's standard order: FL FR RL RR FC LFE SL SR; three are FL
/// FR FC, five FL FR RL RR FC, seven lack SR for a rear centre.
///
/// No output is louder than the loudest input: coefficients are scaled down together until they cannot
/// clip. LFE is left out where the device has none, as BS.775 says; antiphase stereo on one channel is
/// silence.
package struct ChannelMap: Equatable, Sendable {
  /// Channels of the session.
  package let inputs: Int
  /// Channels of the device.
  package let outputs: Int
  /// The coefficients of all inputs for the first output, then for the second, and so on.
  private let matrix: [Float]

  /// Creates a map. A number of channels outside 1...8 counts as the nearest possible.
  package init(from inputs: Int, to outputs: Int) {
    self.inputs = min(max(inputs, 1), 8)
    self.outputs = min(max(outputs, 1), 8)
    matrix = Self.matrix(
      from: SpeakerPosition.layout(self.inputs), to: SpeakerPosition.layout(self.outputs))
  }

  /// True when every channel stays as it is.
  package var isIdentity: Bool { inputs == outputs }

  /// The coefficient by which an input is heard in an output.
  package func coefficient(from input: Int, to output: Int) -> Float { matrix[output * inputs + input] }

  /// Maps `frames` interleaved frames. The two buffers must not overlap.
  package func map(
    _ samples: UnsafePointer<Float>, frames: Int, into mapped: UnsafeMutablePointer<Float>
  ) {
    switch (inputs, outputs) {
    case (let same, outputs) where same == outputs: unsafe mapped.update(from: samples, count: frames * same)
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

  private static func matrix(from inputs: [SpeakerPosition], to outputs: [SpeakerPosition]) -> [Float] {
    var matrix = [Float](repeating: 0, count: inputs.count * outputs.count)
    for (column, input) in inputs.enumerated() {
      for (position, coefficient) in input.folded(into: outputs) {
        guard let row = outputs.firstIndex(of: position) else { continue }
        matrix[row * inputs.count + column] += coefficient
      }
    }
    let sums = outputs.indices.map { row in
      matrix[row * inputs.count..<(row + 1) * inputs.count].reduce(0, +)
    }
    let loudest = max(1, sums.max() ?? 1)
    return matrix.map { $0 / loudest }
  }
}
