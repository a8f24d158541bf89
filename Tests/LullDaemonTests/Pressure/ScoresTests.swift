import LullChannel
import LullEngine
import LullSystem
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct ScoresTests {
  private let scores = Scores(
    PressurePolicy(), clock: EngineClock(rate: 1, base: 0), journal: Journal())
  private let id = AppID(slot: 0, generation: 0)
  private let program: Child
  private let old: Int

  init() throws {
    program = try Child(SpawnRequest(["sleep", "1000"]))
    old = try OOMScore.value(of: program.pid)
  }

  private func raise(isPurgeable: Bool = false) -> [ScoreRecord] {
    var noted: [ScoreRecord] = []
    scores.raise(id, [program.pid], isPurgeable: isPurgeable) { noted.append($0) }
    return noted
  }

  @Test func `a value is noted, raised, and put back after the wake`() throws {
    let noted = raise()
    #expect(noted.map(\.old) == [old] && noted.map(\.process.pid) == [program.pid])
    #expect(try OOMScore.value(of: program.pid) == noted.first?.raised)
    scores.woke(id)
    #expect(scores.nextWoken() == id)
    scores.putBack(id) { [program.pid] }
    #expect(try OOMScore.value(of: program.pid) == old)
    #expect(scores.nextWoken() == nil)
  }

  @Test func `a program that can come back is chosen before one that cannot`() throws {
    let least = try #require(raise().first?.raised)
    scores.putBack(id) { [program.pid] }
    #expect(try #require(raise(isPurgeable: true).first?.raised) > least)
    scores.putBack(id) { [program.pid] }
  }

  @Test func `a process that was forked after the thaw is found too`() throws {
    let child = try Child(SpawnRequest(["sleep", "1000"]))
    let raised = try #require(raise().first?.raised)
    _ = try OOMScore.change(of: child.pid) { _ in raised }
    var lists = [[program.pid], [program.pid, child.pid]]
    scores.putBack(id) { lists.count > 1 ? lists.removeFirst() : lists[0] }
    #expect(try OOMScore.value(of: child.pid) == old)
  }

  @Test func `whoever wakes before its time costs nothing, and no timer runs`() {
    scores.slept(id, at: Moment(nanoseconds: 0))
    #expect(scores.deadline != nil)
    scores.woke(id)
    #expect(scores.deadline == nil && !scores.hasWoken)
  }

  @Test func `what cannot be noted is not raised`() throws {
    scores.raise(id, [program.pid], isPurgeable: false) { _ throws(SystemError) in throw .missing("record") }
    #expect(try OOMScore.value(of: program.pid) == old)
  }
}
