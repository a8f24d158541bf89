import Fuzzing
import Glibc

/// Something like music: chords that are struck and fade, and percussion, normalised in loudness.
enum Music {
  private static let chords: [[Double]] = [
    [220, 277.2, 329.6, 440], [196, 246.9, 293.7, 392], [174.6, 220, 261.6, 349.2],
    [164.8, 207.7, 246.9, 329.6],
  ]

  static func sound(loudness: Double) -> Sound {
    Sound("music at \(Int(loudness)) LUFS", period: 8) { rate in
      let gain = pow(10, (loudness - measured) / 20)
      let raw = generator(rate)
      return { frame in
        let (left, right) = raw(frame)
        return (gain * left, gain * right)
      }
    }
  }

  private static func generator(_ rate: Double) -> (Double) -> (Double, Double) {
    var random = SplitMix64(seed: 7)
    return { frame in
      let time = frame / rate
      let beat = time.truncatingRemainder(dividingBy: 0.5)
      let chord = chords[Int(time / 2) % chords.count]
      var left = 0.0
      var right = 0.0
      for (index, note) in chord.enumerated() {
        let tone = sin(2 * .pi * note * time) + 0.3 * sin(4 * .pi * note * time)
        left += tone * (index % 2 == 0 ? 1 : 0.6)
        right += tone * (index % 2 == 0 ? 0.6 : 1)
      }
      let hit = 0.4 * random.uniform() * exp(-40 * time.truncatingRemainder(dividingBy: 0.25))
      let fade = 0.1 * exp(-3 * beat)
      return (fade * left + 0.2 * hit, fade * right + 0.2 * hit)
    }
  }

  /// The loudness of the first four seconds as they are, by ITU-R BS.1770 without its gates: nothing in it
  /// is silent.
  private static let measured: Double = {
    let raw = generator(48000)
    var (left, right, sum) = (KWeighting(), KWeighting(), 0.0)
    for frame in 0..<4 * 48000 {
      let samples = raw(Double(frame))
      let (x, y) = (left.filter(samples.0), right.filter(samples.1))
      sum += x * x + y * y
    }
    return -0.691 + 10 * log10(sum / Double(4 * 48000))
  }()
}

/// The two filters of ITU-R BS.1770-4, tables 1 and 2, at 48 kHz.
private struct KWeighting {
  private var shelf = (0.0, 0.0)
  private var high = (0.0, 0.0)

  mutating func filter(_ x: Double) -> Double {
    let y = 1.53512485958697 * x + shelf.0
    shelf.0 = -2.69169618940638 * x + 1.69065929318241 * y + shelf.1
    shelf.1 = 1.19839281085285 * x - 0.73248077421585 * y
    let z = y + high.0
    high.0 = -2 * y + 1.99004745483398 * z + high.1
    high.1 = y - 0.99007225036621 * z
    return z
  }
}
