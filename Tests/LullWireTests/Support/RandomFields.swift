import Fuzzing

@testable import LullWire

/// Makes up a value for each field of a description.
struct RandomFields: FieldVisitor {
  var generator: SplitMix64

  mutating func needed<Value>(
    _ key: Key, _ type: FieldType<Value>, value: Value
  ) throws(WireError) -> Value {
    let field = Field(key, text(type.shape))
    guard let made = try type.read(Message("x").adding(field), key) else {
      throw .missingField(key.rawValue)
    }
    return made
  }

  mutating func optional<Value>(
    _ key: Key, _ type: FieldType<Value>, value: Value?
  ) throws(WireError) -> Value? {
    guard generator.chance(50) else { return nil }
    let field = Field(key, text(type.shape))
    return try type.read(Message("x").adding(field), key)
  }

  private mutating func text(_ shape: FieldShape) -> String {
    switch shape {
    case .flag: return "true"
    case .text: return generator.value()
    case .programName: return generator.word(first: "aZ9", other: "bY8._-")
    case .deviceName: return generator.chance(20) ? "default" : generator.word(first: "aZ9", other: "b:,=+@-")
    case .url: return "sip:" + generator.word(first: "aZ9", other: "b@.:")
    case .sound: return generator.chance(50) ? "default" : "/" + generator.value()
    case .schemes: return generator.pick(["sip", "sip,tel", "x-y.z+1"])
    case .accessories: return some(of: ["tty", "usb:046d", "input:1d6b:0002", "sound:ffff"])
    case .peers: return some(of: ["10.0.0.1", "10.0.0.0/8", "fd00::/8", "::ffff:192.0.2.1"])
    case .probes: return some(of: ["8080/healthz", "/live", "5060"])
    case .number(let range): return String(number(range))
    case .seconds(let range): return seconds(range)
    case .secondsOrNever(let range): return generator.chance(30) ? "never" : seconds(range)
    case .secondsOrWord(let range, let words):
      return generator.chance(50) ? generator.pick(words) : seconds(range)
    case .word(let words): return generator.pick(words)
    case .words(let words): return some(of: words)
    case .ports: return some(of: ["1", "80", "5060", "5061", "65535"])
    case .integer: return String(Int64.random(in: .min ... .max, using: &generator))
    case .decimal: return String(Double.random(in: -1e9...1e9, using: &generator))
    case .list: return some(of: ["1", "2", "4711"])
    }
  }

  private mutating func number(_ range: ClosedRange<UInt64>) -> UInt64 {
    generator.pick([range.lowerBound, range.upperBound, UInt64.random(in: range, using: &generator)])
  }

  private mutating func seconds(_ range: ClosedRange<Interval>) -> String {
    let nanoseconds = range.lowerBound.nanoseconds...range.upperBound.nanoseconds
    let any = Interval(nanoseconds: Int64.random(in: nanoseconds, using: &generator))
    return Seconds.text(generator.pick([range.lowerBound, range.upperBound, any]))
  }

  /// In any order; maybe no word.
  private mutating func some(of words: [String]) -> String {
    words.shuffled(using: &generator).prefix(generator.below(words.count + 1)).joined(separator: ",")
  }

  /// Nil when the made-up fields contradict each other.
  mutating func request(_ verb: Verb) -> Request? { try? Request.blank(verb).visited(by: &self) }
}
