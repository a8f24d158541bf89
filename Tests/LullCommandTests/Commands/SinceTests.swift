import Glibc
import LullModel
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct SinceTests {
  /// 2026-01-02 10:11:12.5 in the zone of the test.
  private let now: Double = {
    var time = unsafe tm()
    unsafe (time.tm_year, time.tm_mon, time.tm_mday) = (126, 0, 2)
    unsafe (time.tm_hour, time.tm_min, time.tm_sec, time.tm_isdst) = (10, 11, 12, -1)
    return Double(unsafe mktime(&time)) + 0.5
  }()

  /// Seconds before `now`; nil when the text is no time.
  private func ago(_ text: String) -> Double? {
    guard case .moment(let moment) = Since(text, now: now) else { return nil }
    return (now - Double(moment.nanoseconds) / 1e9).rounded()
  }

  @Test func `boot is the start of the machine`() { #expect(Since("boot", now: now) == .boot) }

  @Test(arguments: [
    ("10 min ago", 600.0), ("10min", 600), ("90 s ago", 90), ("1 h 30 min ago", 5400), ("1h30m", 5400),
    ("2 days ago", 172_800), ("1.5 hours ago", 5400), ("1 week ago", 604_800),
  ]) func `a time ago`(text: String, seconds: Double) { #expect(ago(text) == seconds) }

  @Test(arguments: [
    ("today", 36_673.0), ("yesterday", 123_073), ("10:11", 13), ("10:11:02", 11), ("09:11:12", 3601),
    ("2026-01-02", 36_673), ("2026-01-02 10:11", 13), ("2026-01-02T10:11:10", 3), ("2026-01-01", 123_073),
  ]) func `a date of this zone`(text: String, seconds: Double) { #expect(ago(text) == seconds) }

  @Test func `seconds since 1970`() {
    #expect(Since("@1700000000", now: now) == .moment(.seconds(1_700_000_000)))
  }

  @Test(arguments: [
    "", "x", "10", "10 parsecs ago", "ago", "25:00", "10:60", "2026-13-01", "2026-01-02 10",
    "2026-01-02 10:11 x",
    "@x", "@", "-5 min", "10:11:12:13", "1e3 s",
  ]) func `anything else is no time`(text: String) { #expect(Since(text, now: now) == nil) }
}
