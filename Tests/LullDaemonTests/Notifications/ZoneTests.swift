import LullSystem
import TestSupport
import Testing

@testable import LullEngine

/// Repeats of a date by the calendar of a zone. The dates are those of date(1).
@Suite(.bounded) struct ZoneTests {
  private static func zone(_ name: String) throws -> ZoneRules {
    try #require(ZoneRules(name: name, file: ZoneFile.read(name)))
  }

  /// The next dates of `first`, in the words of date(1) in that zone.
  private func dates(_ first: String, each unit: CalendarUnit, in name: String, count: Int) throws -> [String]
  {
    let zone = try Self.zone(name)
    let start = try #require(Int64(Self.date("+%s", of: first, in: name)))
    var now = start * 1_000_000_000
    var found: [String] = []
    for _ in 0..<count {
      now = try #require(zone.next(unit, first: start * 1_000_000_000, after: now))
      found.append(try Self.date("+%Y-%m-%d %H:%M %Z", of: "@\(now / 1_000_000_000)", in: name))
    }
    return found
  }

  private static func date(_ format: String, of moment: String, in zone: String) throws -> String {
    try words(["env", "TZ=\(zone)", "date", "-d", moment, format])
  }

  private static func words(_ command: [String]) throws -> String {
    let bytes = try output(of: SpawnRequest(command))
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").joined(separator: "\n")
  }

  @Test func `a day keeps its time of day across both clock changes`() throws {
    #expect(
      try dates("2026-03-28 07:00", each: .day, in: "Europe/Berlin", count: 2) == [
        "2026-03-29 07:00 CEST", "2026-03-30 07:00 CEST",
      ])
    #expect(
      try dates("2026-10-24 07:00", each: .day, in: "Europe/Berlin", count: 2) == [
        "2026-10-25 07:00 CET", "2026-10-26 07:00 CET",
      ])
  }

  @Test func `a time that the clocks skip comes later by what they skip`() throws {
    #expect(
      try dates("2026-03-28 02:30", each: .day, in: "Europe/Berlin", count: 2) == [
        "2026-03-29 03:30 CEST", "2026-03-30 02:30 CEST",
      ])
  }

  @Test func `a time that comes twice is the first one, once`() throws {
    #expect(
      try dates("2026-10-24 02:30", each: .day, in: "Europe/Berlin", count: 2) == [
        "2026-10-25 02:30 CEST", "2026-10-26 02:30 CET",
      ])
  }

  @Test func `the 31st is the last day of a shorter month, and the 31st again`() throws {
    #expect(
      try dates("2027-12-31 12:00", each: .month, in: "America/New_York", count: 4) == [
        "2028-01-31 12:00 EST", "2028-02-29 12:00 EST", "2028-03-31 12:00 EDT", "2028-04-30 12:00 EDT",
      ])
  }

  @Test func `29 February is the 28th in other years`() throws {
    #expect(
      try dates("2028-02-29 09:00", each: .year, in: "Europe/London", count: 4) == [
        "2029-02-28 09:00 GMT", "2030-02-28 09:00 GMT", "2031-02-28 09:00 GMT", "2032-02-29 09:00 GMT",
      ])
  }

  @Test func `a week, an hour and a minute`() throws {
    #expect(
      try dates("2026-10-23 23:15", each: .week, in: "Australia/Lord_Howe", count: 1).first?.hasPrefix(
        "2026-10-30 23:15") == true)
    #expect(
      try dates("2026-10-25 01:30", each: .hour, in: "Europe/Berlin", count: 3) == [
        "2026-10-25 02:30 CEST", "2026-10-25 02:30 CET", "2026-10-25 03:30 CET",
      ])
    #expect(
      try dates("2026-01-01 00:00", each: .minute, in: "UTC", count: 1) == ["2026-01-01 00:01 UTC"])
  }

  /// The rule of the years to come, north and south, and zones that have none.
  @Test(arguments: [
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Casablanca",
    "Asia/Kolkata", "Europe/Dublin", "Pacific/Apia", "America/Nuuk", "Antarctica/Troll",
  ])
  func `every day of forty years has the time of day that date(1) shows`(name: String) throws {
    let zone = try Self.zone(name)
    let start: Int64 = 1_700_000_000
    let moments = (0..<500).map { start + $0 * 2_500_000 }
    let lines = moments.map { "@\($0)" }.joined(separator: "\n")
    let told = try Self.words(
      ["sh", "-c", "printf '%s\n' \"$1\" | TZ=$2 date -f - +%z", "sh", lines, name])
    let offsets = told.split(separator: "\n").map { word -> Int64 in
      let value = Int64(word) ?? 0
      return (value / 100 * 60 + value % 100) * 60
    }
    #expect(moments.map(zone.offset(at:)) == offsets)
  }

  @Test func `many periods that were missed are one step`() throws {
    let zone = try Self.zone("Europe/Berlin")
    let second: Int64 = 1_000_000_000
    let next = zone.next(.day, first: 0, after: 1_800_000_000 * second)
    #expect(next == zone.next(.day, first: 0, after: 1_800_000_001 * second))
    #expect(zone.next(.month, first: 7 * second, after: 0) == 7 * second)
    #expect(zone.next(.year, first: .max - 1, after: .max - 1) == nil)
    #expect(zone.next(.minute, first: .min, after: .max) == nil)
  }

  @Test func `what is no file of the zone database is none`() throws {
    let good = try ZoneFile.read("Europe/Berlin")
    #expect(ZoneRules(name: nil, file: good) != nil)
    #expect(ZoneRules(name: nil, file: []) == nil)
    for count in stride(from: 1, to: good.count - 1, by: 7) {
      #expect(ZoneRules(name: nil, file: Array(good.prefix(count))) == nil)
    }
    var bytes = good
    for index in stride(from: 0, to: bytes.count, by: 3) {
      bytes[index] ^= 0xff
      // Whatever comes of it, it ends.
      if let rules = ZoneRules(name: nil, file: bytes) { _ = rules.next(.day, first: 0, after: 1 << 60) }
      bytes[index] ^= 0xff
    }
    #expect(throws: SystemError.self) { try ZoneFile.read("../../../etc/passwd") }
    #expect(throws: SystemError.self) { try ZoneFile.read("/etc/localtime") }
    #expect(throws: SystemError.self) { try ZoneFile.read("Mars/Olympus") }
  }
}
