import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct ShortRunsTests {
  private func run(_ subject: String, isUrgent: Bool = false) -> ShortRun {
    ShortRun(subject: subject, arguments: ["true"], environment: [], isUrgent: isUrgent)
  }

  @Test func `when too many wait, whoever adds one learns which is dropped`() {
    var runs = ShortRuns(most: 1, mostWaiting: 2, time: 1, openFileLimit: nil, journal: Journal())
    #expect(runs.add(run("call", isUrgent: true))?.subject == nil)
    #expect(runs.add(run("note"))?.subject == nil)
    #expect(runs.add(run("note"))?.subject == nil)
    #expect(runs.add(run("news"))?.subject == "note")
  }
}
