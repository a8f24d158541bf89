import LullWire
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct WatchTests {
  @Test func `a screen shows the rows that it has, and says how many more there are`() {
    let text = "a\nb\nc\nd\n"
    #expect(Screen.fitting(text, rows: nil) == ["a", "b", "c", "d"])
    #expect(Screen.fitting(text, rows: 4) == ["a", "b", "c", "d"])
    #expect(Screen.fitting(text, rows: 3) == ["a", "b", "... and 2 more lines"])
  }

  @Test func `the times go on between two answers`() throws {
    var report = try Samples.report()
    report.age(by: 10)
    let clock = report.programs[0], phone = report.programs[1]
    #expect(clock.leases[0].endsInSeconds == 0)
    #expect(phone.lastWake?.agoSeconds == 135)
    #expect(phone.keepAlive?.dueInSeconds == 233)
  }

  @Test func `the youngest time says when to draw again`() throws {
    #expect(try Samples.report().patience == 1)
    let older = Samples.status.filter { !$0.contains("kind=lease") }
    #expect(try Samples.report(older).patience == 60)
    #expect(try Samples.report([Samples.daemon, Samples.program(state: "active")]).patience == nil)
    #expect(DurationText.patience(seconds: -7200) == 3600)
  }

  @Test(arguments: [(0.5, "0 s"), (59.9, "59 s"), (60, "1 min"), (7199, "1 h"), (200_000, "2 d")])
  func `a short duration has its largest unit`(seconds: Double, text: String) {
    #expect(DurationText.short(seconds: seconds) == text)
  }
}
