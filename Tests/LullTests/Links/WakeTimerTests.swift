import LullEngine
import TestSupport
import Testing

@testable import Lull

@Suite(.bounded) struct WakeTimerTests {
  private func seconds(_ request: String) throws -> Double {
    let text = try #require(request.split(separator: "=").last)
    #expect(request.hasPrefix("wake-in seconds="))
    return try #require(Double(text))
  }

  @Test func `The daemon is asked for the first timer that wakes, and again when that has changed`() throws {
    let it = try Managed()
    it.application.schedule(after: 20) {}
    it.application.schedule(after: 300, wakes: true) {}
    #expect((295...300).contains(try seconds(it.requests(1)[0])))
    let early = it.application.schedule(after: 1, wakes: true) { Issue.record("it was cancelled") }
    #expect(try seconds(it.requests(2)[1]) == 15)
    early.cancel()
    it.application.finishedHandlingWake()
    #expect((295...300).contains(try seconds(it.requests(3)[2])))
    #expect(try it.requests(4)[3] == "done ticket=3")
  }

  @Test func `A wake for the timer runs it, whatever the program's clock says`() throws {
    let it = try Managed()
    var fired = 0
    it.application.schedule(after: 300, wakes: true) {
      fired += 1
      it.application.finishedHandlingWake()
    }
    _ = try it.requests(1)
    it.daemon.forget()
    try it.daemon.send("event wake ticket=9 reason=timer")
    #expect(try it.requests(1) == ["done ticket=9"])
    #expect(fired == 1)
  }

  @Test func `A new daemon is asked again`() throws {
    let it = try Managed()
    it.application.schedule(after: 300, wakes: true) {}
    _ = try it.requests(1)
    #expect(try it.restarted(2).last?.hasPrefix("wake-in seconds=") == true)
  }
}
