import LullEngine
import TestSupport
import Testing

/// An engine that is fed with numbers out of all bounds neither traps nor goes on without end.
@Suite(.bounded) struct BoundTests {
  private static let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]

  @Test(arguments: extremes)
  func `a sleeping command's intervals are brought to their bounds`(nanoseconds: Int64) throws {
    let interval = Interval(nanoseconds: nanoseconds)
    var script = Script()
    script.run("baresip") {
      ($0.settings.udpKeepAlive, $0.settings.linger, $0.settings.batchWakes) = (interval, interval, interval)
      $0.settings.timers = .floor(interval)
    }
    script.command("baresip", .suspend)
    script.frozen("baresip")
    #expect(script.state("baresip") == .suspended)
    #expect(script.pass(to: 60).count <= 60)
    let registration = try script.view("baresip").registration
    #expect((registration.settings.linger ?? .zero) >= .zero)
    #expect((registration.settings.udpKeepAlive ?? .zero) >= .seconds(1))
  }

  @Test(arguments: [-1, 0, 599_999_999_999, Int64.min])
  func `a command's keep-alive below 600 s is refused`(nanoseconds: Int64) {
    var script = Script()
    let timeout = Interval(nanoseconds: nanoseconds)
    script.run("baresip") { $0.settings.keepAlive = timeout }
    #expect(script.refusal == .keepAliveTooShort(timeout, minimum: .seconds(600)))
  }

  @Test(arguments: extremes, extremes)
  func `a keep-alive's moments may be anything`(timeout: Int64, moment: Int64) throws {
    var script = Script()
    script.launched("phone")
    let id = script.id("phone")
    let (timeout, moment) = (Interval(nanoseconds: timeout), Moment(nanoseconds: moment))
    script.ask(.keepAlive(id, timeout, lastRun: moment, since: moment))
    guard timeout >= .seconds(600) else {
      return #expect(script.refusal == .keepAliveTooShort(timeout, minimum: .seconds(600)))
    }
    let view = try #require(try script.view("phone").keepAlive)
    #expect(view.due >= view.opens)
  }

  @Test(arguments: extremes, extremes)
  func `a notification's date and repeat interval may be anything`(date: Int64, interval: Int64) {
    for date in [FireDate.wall(date), .after(Interval(nanoseconds: date))] {
      var script = Script()
      script.launched("clock")
      let id = script.id("clock")
      let content = LocalNotification(body: "alarm")
      script.ask(.schedule(id, content, date, repeats: .every(Interval(nanoseconds: interval))))
      for offset in Self.extremes { script.feed(.wallClock(offset: offset)) }
      script.feed(.stoodStill(Interval(nanoseconds: interval)))
      script.feed(.tick)
    }
  }

  @Test(arguments: extremes)
  func `everything can be done near the ends of the clock`(nanoseconds: Int64) {
    var engine = Engine()
    var effects: [Effect] = []
    let now = Moment(nanoseconds: nanoseconds)
    for number: UInt64 in 0..<2 {
      var registration = Registration(name: "program \(number)", modes: .voip)
      if number == 1 { (registration.speaks, registration.settings.keepAlive) = (false, .seconds(600)) }
      _ = engine.handle(.register(registration), at: now, effects: &effects)
    }
    for app in engine.programs {
      _ = engine.handle(.keepAlive(app, .seconds(600), lastRun: now), at: now, effects: &effects)
      _ = engine.handle(.beginTask(app, name: "x"), at: now, effects: &effects)
      _ = engine.handle(.transition(app, .quit), at: now, effects: &effects)
    }
    engine.handle(.tick, at: now, effects: &effects)
    #expect(engine.programs.count == 2)
  }

  @Test func `tickets out of all bounds answer nothing that was not asked`() throws {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    script.feed(.done(script.id("phone"), Ticket(0)))
    script.feed(.did(script.id("phone"), Ticket(.max)))
    #expect(try script.leases("phone") == [.wake])
    script.feed(.done(script.id("phone"), Ticket(.max)))
    #expect(try script.leases("phone") == [])
  }

  @Test func `a request for a program that is not there is refused`() {
    var script = Script()
    let nobody = AppID(slot: 7, generation: 0)
    let content = LocalNotification(body: "x")
    let requests: [Engine.Request] = [
      .hold(nobody, .voip, []), .release(nobody, LineID(1)), .keepAlive(nobody, .seconds(600), lastRun: nil),
      .beginTask(nobody, name: "x"), .endTask(nobody, TaskID(1)), .remaining(nobody),
      .present(nobody, content), .schedule(nobody, content, .after(.seconds(1)), repeats: nil),
      .cancel(nobody, nil), .transition(nobody, .wake), .adopt(nobody, Registration(name: "x")),
    ]
    for request in requests {
      #expect(script.ask(request) == ["refused"])
      #expect(script.refusal == .gone)
    }
    #expect(script.engine.deadline == nil)
  }
}

/// The end of the other process is heard when a thread of the pool is free, and in a long run the other tests
/// take them all: the usual bound would count that wait.
@Suite(.bounded(seconds: 600)) struct EndlessRuleTests {
  /// With this policy a command's paths would be kept open again and again at one moment.
  @Test func `rules that do not come to an end are a trap in a debug build`() async {
    await #expect(processExitsWith: .failure) {
      var policy = Policy()
      (policy.pathsMinimum, policy.linger) = (.zero, .zero)
      var script = Script(policy: policy)
      script.run("baresip") { $0.settings.udpKeepAlive = .zero }
      script.command("baresip", .suspend)
      script.frozen("baresip")
    }
  }
}
