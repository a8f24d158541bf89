import Fuzzing
import Glibc

@testable import LullWire

extension SplitMix64 {
  /// The seed of `LULL_SEED`, or a new one; it is printed, so that a failure can be repeated.
  static func seed(for test: String) -> UInt64 {
    let wanted = unsafe getenv("LULL_SEED").flatMap { unsafe UInt64(String(cString: $0)) }
    let seed = wanted ?? .random(in: 0...UInt64(UInt32.max))
    print("\(test): LULL_SEED=\(seed)")
    return seed
  }

  mutating func word(first: String, other: String) -> String {
    let length = chance(5) ? Limits.maximumWord : 1 + below(12)
    let letters = Array(other)
    return String(pick(Array(first))) + String((1..<max(length, 2)).map { _ in pick(letters) })
  }

  mutating func scalar() -> Unicode.Scalar {
    let ranges: [ClosedRange<UInt32>] = [
      0x00...0x1F,  // control characters, which need an escape
      0x20...0x7F,  // ASCII with space, quote, equals, backslash and DEL
      0x61...0x7A,  // letters, which can stand bare
      0x80...0x7FF,  // two bytes in UTF-8
      0x800...0xD7FF,  // three bytes
      0x1F300...0x1F6FF,  // four bytes
    ]
    return Unicode.Scalar(UInt32.random(in: pick(ranges), using: &self)) ?? "?"
  }

  mutating func value(maximumScalars: Int = 20) -> String {
    var text = String.UnicodeScalarView()
    let bare = chance(50)
    for _ in 0..<below(maximumScalars) {
      text.append(bare ? pick(["a", "Z", "0", "-", "é", ",", "/"]) : scalar())
    }
    return String(text)
  }

  mutating func message() -> Message {
    let lower = "abcdefghijklmnopqrstuvwxyz"
    let verb = word(first: lower, other: lower + "0123456789-")
    let isNotice = chance(20)
    let known = isNotice ? Message(event: pick(Notice.allCases)) : nil
    var message = known ?? (verb == "event" ? Message("verb") : Message(verb))
    let count = chance(5) ? Limits.maximumFields : below(6)
    for _ in 0..<count {
      let key = word(first: lower + lower.uppercased(), other: lower + lower.uppercased() + "0123456789-")
      message.append(Field(key, chance(20) ? nil : value()))
    }
    return message
  }
}
