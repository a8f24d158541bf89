import LullChannel
import LullEngine
import LullSystem
import Synchronization
import TestSupport
import Testing

@testable import LullDaemon

private let serial = Atomic<Int>(0)

/// One freeze, step by step, on a real cgroup with a real process.
@Suite(.bounded) final class FreezerTests {
  private let path: String
  private let cgroup: Cgroup
  private let child: Child
  private let reactor: DaemonReactor
  private let releases: ReleaseQueue
  private let freezer: Freezer
  private let app = AppID(slot: 2, generation: 5)
  private var suspender: Suspender { .cgroup(cgroup) }

  init() throws {
    let number = serial.wrappingAdd(1, ordering: .relaxed).newValue
    path = try "\(CgroupMount.find())/lull-freezer-test-\(Identity.pid())-\(number)"
    cgroup = try Cgroup.create(at: path)
    var request = SpawnRequest(["sleep", "1000"])
    request.cgroup = cgroup.directory
    child = try Child(request)
    reactor = try DaemonReactor()
    releases = ReleaseQueue(reactor)
    freezer = Freezer(reactor, releases, journal: Journal())
  }

  deinit {
    try? cgroup.killAll()
    _ = try? child.end()
    try? eventually("the cgroup did not become empty") { try !cgroup.state().populated }
    try? cgroup.remove()
  }

  private func fail(_ comment: Comment) { Issue.record(comment) }

  /// Freezes until the daemon is to read the program's last requests.
  private func freeze(_ ticket: Ticket) throws {
    freezer.decide(app, ticket)
    // A step of a freeze that was taken back stands before this one.
    while let step = freezer.nextStep() {
      guard case .begin(app, let number) = step else { return fail("another step came") }
      if freezer.isDecided(app, number) { break }
    }
    freezer.beginLook(at: app, ticket)
    guard case .nothing = freezer.request(app, ticket: ticket, suspender: suspender) else {
      return fail("refused")
    }
    var isToHear = false
    try eventually("the freeze was not confirmed") {
      freezer.recheckDue()
      if case .confirm(app, ticket)? = freezer.nextStep(), case .hear = freezer.confirm(app, ticket) {
        isToHear = true
      }
      return isToHear
    }
  }

  private func fallAsleep(_ ticket: Ticket, _ plan: WatchPlan = WatchPlan()) throws {
    try freeze(ticket)
    #expect(freezer.heard(app, ticket))
    #expect(freezer.observes(app) == ticket)
    #expect(freezer.beginArming(app, ticket: ticket, plan: plan))
    let events = try freezer.fallAsleep(app, watching: [DescriptorBox(Process.pidfdOpen(child.pid))])
    guard case .frozen(app, ticket)? = events.last, events.count == 1 else {
      return fail("other events came")
    }
  }

  @Test func `a sleeper is thawed at once, and written to no second time`() throws {
    try fallAsleep(Ticket(1))
    #expect(try cgroup.state().frozen)
    #expect(freezer.isFrozen(app))
    #expect(freezer.thawAtOnce(app))
    #expect(try !cgroup.isFreezeAsked())
    #expect(freezer.isThawed(app))
    #expect(!freezer.thawAtOnce(app))
    // Somebody else's freeze is not taken back by the engine's thaw of a program that runs already.
    try cgroup.freeze()
    try freezer.thaw(app, suspender)
    #expect(try cgroup.isFreezeAsked())
    #expect(!freezer.isFrozen(app))
    #expect(freezer.nextThawed() == app)
    #expect(freezer.nextThawed() == nil)
    try cgroup.thaw()
  }

  @Test func `a sleeper that is killed ends, and its duplicates are released`() throws {
    try fallAsleep(Ticket(1))
    freezer.kill(app, suspender)
    #expect(try child.end() == .signaled(Signal.kill))
    #expect(!freezer.isFrozen(app))
    #expect(freezer.nextThawed() == app)
  }

  @Test func `a plan in which the engine has a say is not thawed at once`() throws {
    var plan = WatchPlan()
    plan.wakesAtOnce = false
    try fallAsleep(Ticket(1), plan)
    #expect(!freezer.thawAtOnce(app))
    #expect(try cgroup.isFreezeAsked())
    try freezer.thaw(app, suspender)
    #expect(try !cgroup.isFreezeAsked())
  }

  @Test func `a freeze that was taken back goes on at no stage`() throws {
    try freeze(Ticket(1))
    try freezer.thaw(app, suspender)
    #expect(!freezer.heard(app, Ticket(1)))
    #expect(!freezer.beginArming(app, ticket: Ticket(1), plan: WatchPlan()))
    #expect(try freezer.fallAsleep(app, watching: []).isEmpty)
    freezer.decide(app, Ticket(2))
    try freezer.thaw(app, suspender)
    #expect(!freezer.isDecided(app, Ticket(2)))
    try freeze(Ticket(3))
    #expect(!freezer.heard(app, Ticket(1)))
    #expect(freezer.heard(app, Ticket(3)))
  }

  @Test func `a look before the freeze goes on in the next turn, and not after the freeze was taken back`()
    throws
  {
    freezer.decide(app, Ticket(1))
    freezer.beginLook(at: app, Ticket(1))
    freezer.putOff(app, Ticket(1))
    #expect(freezer.nextPutOff() == app)
    let look = try #require(freezer.looks(app))
    #expect(try !look.advance(suspender, until: 0) { ThreadFiles(of: $0) })
    #expect(try look.advance(suspender, until: .max) { ThreadFiles(of: $0) })
    freezer.putOff(app, Ticket(1))
    try freezer.thaw(app, suspender)
    #expect(freezer.looks(app) == nil)
    #expect(freezer.nextPutOff() == nil)
  }

  @Test func `an observation that was put off is not gone on with after the thaw`() throws {
    try freeze(Ticket(1))
    #expect(freezer.heard(app, Ticket(1)))
    freezer.putOff(app, Ticket(1))
    #expect(freezer.hasWork)
    try freezer.thaw(app, suspender)
    #expect(freezer.nextPutOff() == nil)
    #expect(!freezer.takePutOff(app))
  }

  @Test func `the thaw of a sleeper by somebody else is told`() throws {
    try fallAsleep(Ticket(1))
    #expect(freezer.cgroupChanged(app) == nil)
    try cgroup.thaw()
    guard case .unfrozen(app)? = freezer.cgroupChanged(app) else { return fail("not told") }
  }

  @Test func `a released sleeper watches neither its processes nor its cgroup`() throws {
    try fallAsleep(Ticket(1))
    #expect(freezer.isWatched(app))
    try freezer.thaw(app, suspender)
    freezer.release(app, keepsEvents: false)
    #expect(!freezer.isWatched(app))
    releases.letGo()
    try child.signal(Signal.kill)
    try eventually("the cgroup did not become empty") { try !cgroup.state().populated }
    #expect(reactor.count == 0)
    try reactor.wait(timeoutMilliseconds: 0)
    #expect(reactor.events.isEmpty)
  }

  @Test func `first freezes of restored programs come one at a time`() throws {
    let other = AppID(slot: 4, generation: 0)
    freezer.expectTrial(of: app)
    freezer.expectTrial(of: other)
    guard case .first = freezer.turn(of: app, Ticket(1)), case .later = freezer.turn(of: other, Ticket(2))
    else { return fail("both at once") }
    #expect(freezer.isDecided(other, Ticket(2)))
    try fallAsleep(Ticket(1))
    let ended = try #require(freezer.finishTrial())
    #expect(ended.id == app)
    #expect(ended.passed)
    guard case .begin(other, Ticket(2))? = freezer.nextStep() else { return fail("none is next") }
    guard case .free = freezer.turn(of: app, Ticket(3)) else { return fail("tried twice") }
  }
}
