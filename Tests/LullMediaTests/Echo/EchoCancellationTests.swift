import Glibc
import TestSupport
import Testing

@testable import LullMedia

/// Echo through a simulated room.
@Suite(.bounded) struct EchoCancellationTests {
  private static let frame = Opus.frame
  private static let lead = Int(EchoReference.lead)

  /// An imitation of speech: noise with the colour of a voice, in syllables.
  private func speech(seconds: Int, amplitude: Double, seed: UInt64, from start: Double = 0) -> [Double] {
    var state = seed
    var (low, lower) = (0.0, 0.0)
    return (0..<seconds * Opus.rate).map { index in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let white = Double(Int32(truncatingIfNeeded: state >> 32)) / Double(Int32.max)
      low += 0.25 * (white - low)
      lower += 0.02 * (low - lower)
      let time = Double(index) / Double(Opus.rate)
      guard time >= start else { return 0 }
      let syllable = max(0, sin(2 * .pi * 3.1 * time + Double(seed % 7)))
      return amplitude * 3 * (low - lower) * syllable
    }
  }

  /// The echo at the microphone: delayed, quieter, with reflections.
  private func echo(of played: [Double], delay: Int = 1680) -> [Double] {
    let taps = [(0, 0.4), (37, 0.22), (211, -0.15), (811, 0.09), (2400, 0.05)]
    return played.indices.map { index in
      taps.reduce(0) { sum, tap in
        let place = index - delay - tap.0
        return place >= 0 ? sum + tap.1 * played[place] : sum
      }
    }
  }

  private func samples(_ signal: [Double]) -> [Int16] { signal.map { Int16(max(-32_768, min(32_767, $0))) } }

  /// The rest after the echo of the played sound is removed, frame after frame.
  private func cancel(played: [Double], captured: [Double], _ settings: EchoCanceller.Settings = .init())
    throws
    -> [Double]
  {
    let canceller = try #require(EchoCanceller(settings))
    let (far, near) = (samples(played), samples(captured))
    var result: [Double] = []
    for start in stride(from: 0, to: near.count, by: Self.frame) {
      var frame = Array(near[start..<start + Self.frame])
      canceller.cancel(&frame, played: Array(far[start..<start + Self.frame]))
      result += frame.map(Double.init)
    }
    return result
  }

  /// The power of a part in decibels; taken `late` samples later for output that is a block late.
  private func power(_ signal: [Double], _ seconds: Range<Int>, late: Int = 0) -> Double {
    let part = signal[
      (seconds.lowerBound * Opus.rate + late)..<min(seconds.upperBound * Opus.rate + late, signal.count)]
    return 10 * log10(part.reduce(1e-9) { $0 + $1 * $1 } / Double(part.count))
  }

  @Test func `after two seconds the echo is 20 dB quieter at least`() throws {
    let played = speech(seconds: 6, amplitude: 9000, seed: 1)
    let echo = echo(of: played)
    let noise = speech(seconds: 6, amplitude: 4, seed: 5)
    let left = try cancel(played: played, captured: zip(echo, noise).map { $0 + $1 })
    let gains = (2..<6).map { power(echo, $0..<$0 + 1) - power(left, $0..<$0 + 1) }
    #expect(gains.allSatisfy { $0 >= 20 }, "\(gains)")
  }

  @Test func `who speaks alone is kept as loud as he is`() throws {
    let near = speech(seconds: 5, amplitude: 6000, seed: 3)
    let left = try cancel(played: [Double](repeating: 0, count: near.count), captured: near)
    let change = power(left, 1..<5, late: EchoCanceller.block) - power(near, 1..<5)
    #expect(abs(change) < 3, "\(change) dB")
  }

  @Test
  func `who speaks while the other one does is kept within 3 dB, and the echo is gone again afterwards`()
    throws
  {
    let played = speech(seconds: 9, amplitude: 9000, seed: 1)
    let echo = echo(of: played)
    let near = speech(seconds: 9, amplitude: 6000, seed: 3, from: 3).enumerated().map { index, sample in
      index < 6 * Opus.rate ? sample : 0
    }
    let left = try cancel(played: played, captured: zip(echo, near).map { $0 + $1 })
    let change = power(left, 3..<6, late: EchoCanceller.block) - power(near, 3..<6)
    #expect(abs(change) < 3, "\(change) dB")
    let gain = power(echo, 7..<9) - power(left, 7..<9)
    #expect(gain >= 20, "\(gain) dB")
  }

  @Test func `the reference keeps its step however late the program is`() {
    var reference = EchoReference()
    for frame in 0..<100 {
      reference.play(numbers(frame * Self.frame), at: UInt64(frame * Self.frame))
      guard frame >= 3 else { continue }
      let heard = (frame - 3) * Self.frame + (frame * 7919) % 400
      let next = reference.next(Self.frame, heard: Int64(heard))
      // The samples by which the first estimate was late.
      let first = (3 * 7919) % 400
      #expect(next == numbers((frame - 3) * Self.frame + first + Self.lead))
    }
  }

  @Test func `another device is followed at once, a stream that has stood within half a second`() {
    var reference = EchoReference()
    for frame in 0..<40 { reference.play(numbers(frame * Self.frame), at: UInt64(frame * Self.frame)) }
    #expect(reference.next(Self.frame, heard: 0) == numbers(Self.lead))
    reference.forgetStep()
    #expect(reference.next(Self.frame, heard: 4000) == numbers(4000 + Self.lead))
    for turn in 1..<EchoReference.patience - 1 {
      _ = reference.next(Self.frame, heard: Int64(4000 + turn * Self.frame - 2000))
    }
    let turn = EchoReference.patience
    _ = reference.next(Self.frame, heard: Int64(4000 + (turn - 1) * Self.frame - 2000))
    #expect(
      reference.next(Self.frame, heard: Int64(4000 + turn * Self.frame - 2000))
        == numbers(4000 + turn * Self.frame - 2000 + Self.lead))
  }

  @Test func `what was not played is silence`() {
    var reference = EchoReference()
    #expect(reference.next(Self.frame, heard: -5000) == [Int16](repeating: 0, count: Self.frame))
    reference.play(numbers(0), at: 0)
    reference.forgetStep()
    #expect(reference.next(Self.frame, heard: 480 - EchoReference.lead)[..<480] == numbers(480)[..<480])
  }

  private func numbers(_ start: Int) -> [Int16] {
    (start..<start + Self.frame).map { Int16(truncatingIfNeeded: $0 + 1) }
  }
}
