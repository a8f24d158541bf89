import Fuzzing
import LullEngine

/// The simulation's choices: a seed means the same run on every machine. A fuzzer puts bytes in front of the
/// seed's numbers. Each choice then hangs on bytes of its own, so that a changed byte changes one choice.
struct Chance {
  private var numbers: SplitMix64
  private var bytes = ByteSource([])

  init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  init(bytes: [UInt8]) {
    numbers = SplitMix64(seed: 0)
    self.bytes = ByteSource(bytes)
  }

  var isSpent: Bool { bytes.isEmpty }

  mutating func next() -> UInt64 {
    guard bytes.isEmpty else { return SplitMix64.scattered(UInt64(bytes.number(UInt16.self))) }
    return numbers.next()
  }

  /// A number in 0 ..< `bound`.
  mutating func below(_ bound: Int) -> Int {
    guard bytes.isEmpty else {
      return (bound > 256 ? Int(bytes.number(UInt16.self)) : Int(bytes.byte())) % bound
    }
    return Int(truncatingIfNeeded: next() % UInt64(bound))
  }

  /// True in `perMille` of 1,000 cases.
  mutating func happens(_ perMille: Int) -> Bool {
    perMille > 0 && below(1000) < perMille
  }

  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

  /// An index, each as likely as its weight.
  mutating func weighted(_ weights: [Int], total: Int) -> Int {
    var rest = below(total)
    for index in 0..<weights.count {
      rest -= weights[index]
      if rest < 0 { return index }
    }
    return weights.count - 1
  }

  /// An interval in 0 ... `longest`, evenly.
  mutating func upTo(_ longest: Interval) -> Interval {
    Interval(nanoseconds: Int64(next() % UInt64(longest.nanoseconds + 1)))
  }

  /// An interval around `mean`, from a sixteenth of it to three times it: many short ones, few long ones.
  mutating func around(_ mean: Interval) -> Interval {
    let scale = [1, 2, 4, 8, 12, 16, 24, 48][below(8)]
    return upTo(mean.scaled(by: Int64(scale), over: 8)) + mean.scaled(by: 1, over: 16)
  }
}
