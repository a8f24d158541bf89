import LullChannel
import LullEngine
import LullGuard
import LullSystem
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct EngineHostTests {
  private let host = EngineHost(EngineClock(rate: 1, base: 0))

  private func performAll() -> Int {
    var (effects, count): ([Effect], Int) = ([], 0)
    while host.handleNext(effects: &effects) { count += effects.count }
    return count
  }

  @Test func `events are told in order, and each has its own effects`() {
    var effects: [Effect] = [.thaw(AppID(slot: 0, generation: 0))]
    #expect(!host.handleNext(effects: &effects))
    #expect(effects.isEmpty)
    _ = host.handle(.register(Registration(name: "one")), effects: &effects)
    let id = host.engine.find(name: "one")
    #expect(id != nil)
    host.queue(id.map { [.exited($0, .exited(0)), .tick] } ?? [])
    #expect(performAll() > 0)
    #expect(host.engine.find(name: "one") == nil)
  }

  @Test func `a request is answered by the value that handle returns`() {
    var effects: [Effect] = []
    let answer = host.handle(.register(Registration(name: "one")), effects: &effects)
    guard case .registered = answer else { return #expect(Bool(false), "not registered") }
    let again = host.handle(.register(Registration(name: "one")), effects: &effects)
    guard case .refused = again else { return #expect(Bool(false), "registered twice") }
  }

  @Test func `the clock of a turn stands still until the next turn`() {
    host.beginTurn()
    let (now, seenAt) = (host.now, host.seenAt)
    #expect(now == Moment(nanoseconds: seenAt))
    host.queue(.tick)
    _ = performAll()
    #expect(host.now == now && host.seenAt == seenAt)
    host.readWallClock()
    #expect(host.now >= now)
    #expect(host.wallOffset > 0)
  }

  @Test func `time without a turn is told once`() {
    host.beginTurn()
    host.noticeStillTime(due: nil)
    #expect(performAll() == 0)
  }
}

@Suite(.bounded) struct DeadlinesTests {
  private let services: SharedServices
  private let deadlines: Deadlines

  init() throws {
    services = try SharedServices(DaemonOptions())
    deadlines = try Deadlines(services)
  }

  @Test func `the timer is armed to what is due first, and tells once`() throws {
    let now = Clock.boottime()
    deadlines.arm(at: now + 1, alarm: now + 9_000_000_000, isHeld: false)
    #expect(deadlines.armed == now + 1)
    #expect(!deadlines.takeDue())
    try services.reactor.wait(timeoutMilliseconds: patience)
    #expect(services.reactor.events.count == 1)
    #expect(deadlines.takeDue())
    #expect(!deadlines.takeDue())
    #expect(deadlines.armed == (deadlines.wakesMachine ? now + 9_000_000_000 : nil))
  }

  @Test func `without anybody due it is not armed`() throws {
    let moment = Clock.boottime() + 1_000_000_000_000
    deadlines.arm(at: moment, alarm: moment, isHeld: false)
    deadlines.arm(at: nil, alarm: nil, isHeld: false)
    #expect(deadlines.armed == nil)
    try services.reactor.wait(timeoutMilliseconds: 0)
    #expect(services.reactor.events.isEmpty)
  }

  @Test func `an alarm is put off only when the machine is not held up, and brought forward at once`() throws
  {
    try #require(Identity.hasCapability(.wakeAlarm), "this test needs CAP_WAKE_ALARM")
    let moment = Clock.boottime() + 1_000_000_000_000
    deadlines.arm(at: moment, alarm: moment, isHeld: true)
    deadlines.arm(at: moment + 2, alarm: moment + 2, isHeld: true)
    #expect(services.reactor.armedAlarm == moment && deadlines.armed == moment)
    deadlines.arm(at: moment + 2, alarm: nil, isHeld: true)
    #expect(services.reactor.armedAlarm == moment && deadlines.armed == moment)
    deadlines.arm(at: moment - 2, alarm: moment - 1, isHeld: true)
    #expect(services.reactor.armedAlarm == moment - 1 && deadlines.armed == moment - 2)
    deadlines.arm(at: moment + 2, alarm: moment + 3, isHeld: false)
    #expect(services.reactor.armedAlarm == moment + 3 && deadlines.armed == moment + 2)
  }
}

@Suite(.bounded) struct ServingTurnsTests {
  private func ready(_ places: UInt32...) -> [ServingTurns.Ready] {
    places.map { (Slot(index: $0, generation: 0), .readable) }
  }

  @Test func `whoever had no time in a turn comes first in the next one`() {
    var turns = ServingTurns()
    turns.begin(ready(0, 1, 2), at: 0)
    #expect(turns.next(at: 0)?.client.index == 0)
    #expect(turns.next(at: ServingTurns.time) == nil)
    turns.begin(ready(0, 1, 2), at: 0)
    #expect((0..<3).map { _ in turns.next(at: 0)?.client.index } == [1, 2, 0])
    #expect(turns.next(at: 0) == nil)
    turns.begin(ready(5), at: 0)
    #expect(turns.next(at: 0)?.client.index == 5)
  }
}
