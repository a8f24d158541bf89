import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct DurationTextTests {
  @Test(arguments: [
    (-3.0, "0 s"), (0, "0 s"), (0.000031, "31 us"), (0.0125, "12 ms"), (0.9999, "999 ms"),
    (1, "1 s"), (4.25, "4.2 s"), (9.99, "9.9 s"), (10, "10 s"), (59.9, "59 s"),
    (60, "1 min"), (200, "3 min 20 s"), (3599, "59 min 59 s"), (3600, "1 h"), (7500, "2 h 5 min"),
    (86_399, "23 h 59 min"), (86_400, "1 d"), (273_600, "3 d 4 h"), (1e300, "more than 68 years"),
    (.infinity, "more than 68 years"), (.nan, "0 s"),
  ])
  func `a duration is told in its two largest units`(seconds: Double, text: String) {
    #expect(DurationText.text(seconds: seconds) == text)
  }

  @Test func `microseconds are told like seconds`() {
    #expect(DurationText.text(microseconds: 31) == "31 us")
    #expect(DurationText.text(microseconds: 12_500_000) == "12 s")
  }
}
