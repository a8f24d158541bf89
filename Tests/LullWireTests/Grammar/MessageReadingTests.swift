import Fuzzing
import TestSupport
import Testing

@testable import LullWire

@Suite(.bounded) struct MessageReadingTests {
  private func message(_ value: String) -> Message { Message("v").adding(.last, value) }

  private func read<Value>(_ type: FieldType<Value>, _ value: String) throws(WireError) -> Value? {
    try type.read(message(value), .last)
  }

  @Test(arguments: [
    ("0", 0), ("600", 600_000_000_000), ("0.25", 250_000_000), ("1.000000001", 1_000_000_001),
    ("0.1", 100_000_000), ("007.50", 7_500_000_000), ("9223372036.854775807", Int64.max),
  ])
  func `seconds are read exactly`(text: String, nanoseconds: Int64) throws {
    #expect(try message(text).interval(.last) == Interval(nanoseconds: nanoseconds))
  }

  @Test(arguments: [
    "", "-1", "+1", ".5", "5.", ".", "1e3", "nan", "inf", "1.0000000001", "1.2.3", " 1", "0x10", "true",
    "9223372036.854775808", "99999999999999999999999",
  ])
  func `what is not seconds is refused`(text: String) {
    let expected = "seconds, such as 600 or 0.25, at most nine decimals"
    #expect(throws: WireError.badValue(key: "last", value: text, expected: expected)) {
      try message(text).interval(.last)
    }
  }

  @Test func `every duration is read back as it was`() throws {
    let seed = SplitMix64.seed(for: "durations")
    var generator = SplitMix64(seed: seed)
    for _ in 0..<5000 {
      let value = Interval(nanoseconds: Int64(generator.next() >> (1 + generator.below(62))))
      let read = try Message("v").adding(.last, value).interval(.last)
      try #require(read == value, "LULL_SEED=\(seed)")
    }
  }

  @Test(arguments: ["", "-", "+1", "1.0", "1 ", "one", "9223372036854775808", "-9223372036854775809"])
  func `what is not a whole number is refused`(text: String) {
    #expect(throws: WireError.badValue(key: "last", value: text, expected: "a whole number")) {
      try message(text).integer(.last)
    }
  }

  @Test func `whole numbers are read to their limits`() throws {
    #expect(try message("-9223372036854775808").integer(.last) == .min)
    #expect(try message("9223372036854775807").integer(.last) == .max)
    #expect(try message("18446744073709551615").unsigned(.last) == .max)
    #expect(try message("-7").integer(.last) == -7)
    let error = WireError.badValue(
      key: "last", value: "18446744073709551616", expected: "a whole number, 0 or more")
    #expect(throws: error) { try message("18446744073709551616").unsigned(.last) }
  }

  @Test func `a number outside its range is refused with the range`() throws {
    #expect(try message("2").integer(.last, in: 0...2) == 2)
    let error = WireError.badValue(key: "last", value: "3", expected: "a whole number from 0 to 2")
    #expect(throws: error) { try message("3").integer(.last, in: 0...2) }
  }

  @Test func `flags are true, false or absent`() throws {
    #expect(try FieldType.flag.read(Message("v").adding(flag: .follow), .follow) == true)
    #expect(try FieldType.flag.read(Message("v").adding(.follow, true), .follow) == true)
    #expect(try FieldType.flag.read(Message("v").adding(.follow, false), .follow) == false)
    #expect(try FieldType.flag.read(Message("v"), .follow) == nil)
    #expect(throws: WireError.badValue(key: "follow", value: "yes", expected: "true or false")) {
      try FieldType.flag.read(Message("v").adding(.follow, "yes"), .follow)
    }
  }

  @Test func `numbers are finite`() throws {
    #expect(try message("1.5").number(.last) == 1.5)
    #expect(try message("-3").number(.last) == -3)
    for text in ["inf", "nan", "", "x"] {
      #expect(throws: WireError.badValue(key: "last", value: text, expected: "a number")) {
        try message(text).number(.last)
      }
    }
  }

  @Test func `lists are split at commas`() throws {
    #expect(try read(FieldType<[String]>.list, "a,b,c") == ["a", "b", "c"])
    #expect(try read(FieldType<[String]>.list, "é") == ["é"])
    #expect(try read(FieldType<[String]>.list, "") == [])
    for text in [",", "a,", ",a", "a,,b"] {
      #expect(throws: WireError.badValue(key: "last", value: text, expected: "a list such as one,two")) {
        try read(FieldType<[String]>.list, text)
      }
    }
  }

  @Test func `words are those of the enumeration, each once`() throws {
    #expect(try read(FieldType<Modes>.words, "audio,voip") == [.audio, .voip])
    #expect(try read(FieldType<Profile>.word, "ios7") == .ios7)
    #expect(throws: WireError.badValue(key: "last", value: "ios5", expected: "one of ios4, ios7")) {
      try read(FieldType<Profile>.word, "ios5")
    }
    #expect(throws: WireError.badValue(key: "last", value: "voip,voip", expected: "each word once")) {
      try read(FieldType<Modes>.words, "voip,voip")
    }
  }

  @Test func `a field that is not there is missing, or nil where that is allowed`() throws {
    let message = Message("v")
    let missing = WireError.missingField("last")
    #expect(throws: missing) { try message.string(.last) }
    #expect(throws: missing) { try message.integer(.last) }
    #expect(throws: missing) { try message.unsigned(.last) }
    #expect(throws: missing) { try message.identifier(.last) as LineID }
    #expect(throws: missing) { try message.interval(.last) }
    #expect(throws: missing) { try message.number(.last) }
    #expect(try message.integer(ifPresent: .last) == nil)
    #expect(try message.interval(ifPresent: .last) == nil)
    #expect(try message.number(ifPresent: .last) == nil)
    #expect(try FieldType<[String]>.list.read(message, .last) == nil)
    #expect(try FieldType<Profile>.word.read(message, .last) == nil)
    #expect(try FieldType<Modes>.words.read(message, .last) == nil)
  }
}
