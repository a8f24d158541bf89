import LullEngine
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// The phase of an installed program's keep-alive goes on over its end, and the length of its life over the
/// end of the engine.
@Suite(.bounded) struct InstalledPastTests {
  /// A program on the library that has set a keep-alive behind, at the moment 0.
  private func phone(ends: Double, _ status: ExitStatus = .signaled(9)) -> Script {
    var script = Script()
    script.ask(.admit("phone", .ended))
    script.launchedBehind("phone")
    script.ask(.keepAlive(script.id("phone"), .seconds(600), lastRun: nil))
    script.pass(to: ends)
    script.command("phone", .kill)
    script.exited("phone", status)
    return script
  }

  /// The program comes and sets its keep-alive as its daemon tells it.
  private func comes(_ script: inout Script) -> [String] {
    script.launchedBehind("phone")
    let past = script.engine.installed("phone")?.past
    return script.ask(
      .keepAlive(
        script.id("phone"), .seconds(600), lastRun: past?.lastKeepAliveRun, since: past?.keepAliveSince))
  }

  @Test(arguments: [100, 700.0])
  func `a program that is started for its keep-alive runs the handler at once`(end: Double) {
    var script = phone(ends: end)
    let due = end < 600 ? 600.0 : 1200
    #expect(script.pass(to: due) == ["\(Int(due)) s: start phone, keepalive"])
    script.pass(to: due + 1)
    #expect(comes(&script) == ["ok", "phone: keep-alive"])
    #expect(script.pass(to: due + 601).contains("\(Int(due) + 601) s: phone: keep-alive"))
  }

  @Test func `so does one that something else needs before it has come, and one whose start failed`() {
    var script = phone(ends: 100)
    script.pass(to: 600)
    script.ask(.launchFailed(program: "phone"))
    #expect(script.ask(.launch("phone", Launch(.data))) == ["ok", "start phone, data"])
    #expect(comes(&script) == ["ok", "phone: keep-alive"])
  }

  @Test func `so does one that crashed in its launch`() {
    var script = phone(ends: 100)
    script.pass(to: 600)
    script.register("phone") { $0.launch = .background }
    script.exited("phone", .exited(1))
    #expect(script.pass(to: 601) == ["601 s: start phone, crash"])
    #expect(comes(&script) == ["ok", "phone: keep-alive"])
  }

  @Test func `one that waits after such a crash does not start sooner under the next engine`() throws {
    var script = phone(ends: 100)
    script.pass(to: 600)
    script.register("phone") { $0.launch = .background }
    script.exited("phone", .exited(1))
    let past = try #require(script.engine.installed("phone")).past
    var next = Script()
    next.pass(to: 600.5)
    #expect(next.ask(.admit("phone", .waiting, past)) == ["ok"])
    #expect(next.pass(to: 601) == ["601 s: start phone, crash"])
  }

  @Test func `so does one that the next engine starts`() throws {
    var script = phone(ends: 100)
    script.pass(to: 600)
    let past = try #require(script.engine.installed("phone")).past
    var next = Script()
    next.pass(to: 601)
    #expect(next.ask(.admit("phone", .waiting, past)) == ["ok", "start phone, keepalive"])
    #expect(comes(&next) == ["ok", "phone: keep-alive"])
  }

  @Test func `so does one that is started beside another keep-alive`() {
    var script = phone(ends: 100)
    script.register("music") {
      ($0.speaks, $0.launch, $0.settings.keepAlive) = (false, .background, .seconds(600))
    }
    script.ask(.admit("tea", .ended, .init(keepAlive: .seconds(600), keepAliveSince: Moment(-400))))
    #expect(script.pass(to: 200).contains("200 s: start phone, keepalive"))
    #expect(comes(&script) == ["ok", "phone: keep-alive"])
  }

  @Test func `but not beside a crash`() {
    var script = phone(ends: 100)
    script.ask(.admit("mail", .ended))
    script.register("mail") { $0.speaks = false }
    script.pass(to: 110)
    script.exited("mail", .exited(1))
    #expect(script.pass(to: 120) == ["111 s: start mail, crash"])
  }

  @Test(arguments: [100, 700.0])
  func `a keep-alive that is not due keeps its phase`(end: Double) throws {
    var script = phone(ends: end)
    script.ask(.launch("phone", Launch(.data)))
    script.pass(to: end + 10)
    #expect(comes(&script) == ["ok"])
    #expect(try script.view("phone").keepAlive?.due == Moment(end < 600 ? 600 : 1200))
  }

  @Test(arguments: [true, false])
  func `a client of its name that is not managed leaves its keep-alive alone`(ends: Bool) {
    var script = phone(ends: 100)
    script.register("phone", []) { ($0.speaks, $0.isUnmanaged) = (false, true) }
    script.pass(to: 200)
    script.feed(ends ? .exited(script.id("phone"), .exited(0)) : .leave(script.id("phone")))
    #expect(script.pass(to: 600) == ["600 s: start phone, keepalive"])
  }

  // MARK: The wait after a crash

  @Test(arguments: [(11, 14), (14, 14), (20, 20)] as [(Double, Double)])
  func `it goes on under the next engine, and does not begin anew`(moment: Double, start: Double) throws {
    var script = Script()
    script.ask(.admit("phone", .lost, InstalledPast(crashes: 2)))
    script.pass(to: 3)
    let past = try #require(script.engine.installed("phone")).past
    #expect(past.starts == Moment(4) && past.crashes == 3)
    var next = Script()
    next.pass(to: moment - 1)
    var later = past
    later.starts = Moment(14)
    next.ask(.admit("phone", .waiting, later))
    #expect(next.pass(to: start).last == "\(Int(start)) s: start phone, crash" || start == moment)
    #expect(next.engine.installed("phone")?.state == .starting)
  }

  @Test func `no moment makes it longer than the longest wait`() {
    var script = Script()
    script.ask(.admit("phone", .waiting, InstalledPast(reason: .crash, crashes: 2, starts: Moment(1000))))
    #expect(script.pass(to: 300) == ["300 s: start phone, crash"])
  }

  // MARK: The length of its life

  /// A program that has come at the moment 0 and crashed twice before.
  private func past() throws -> InstalledPast {
    var script = Script()
    script.ask(.admit("phone", .waiting, InstalledPast(crashes: 2)))
    script.start("phone")
    script.pass(to: 300)
    return try #require(script.engine.installed("phone")).past
  }

  /// The crashes that the next engine counts of a program that crashes at this moment.
  private func crashes(at end: Double, returning: Bool) throws -> Int? {
    let past = try past()
    var next = Script()
    next.pass(to: 300)
    if !returning { next.register("phone") { ($0.speaks, $0.resumes) = (false, .active) } }
    next.ask(.admit("phone", returning ? .returning : .lost, past))
    if returning { next.register("phone") { ($0.speaks, $0.returnsFor) = (false, .boot) } }
    next.pass(to: end)
    next.exited("phone", .exited(1))
    return next.engine.installed("phone")?.crashes
  }

  @Test(arguments: [false, true])
  func `ten minutes of life count from their beginning under the next engine, too`(returning: Bool) throws {
    #expect(try crashes(at: 599, returning: returning) == 3)
    #expect(try crashes(at: 600, returning: returning) == 1)
  }
}
