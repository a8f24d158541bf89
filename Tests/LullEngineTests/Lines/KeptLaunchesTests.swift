import LullEngine
import TestSupport
import Testing

/// When a program whose lines are kept is launched.
@Suite(.bounded) struct KeptLaunchesTests {
  private let start = Moment(nanoseconds: 1_000_000_000_000)
  private let policy = Policy()
  private var launches = KeptLaunches()

  @Test mutating func `nothing is launched before something has come, and then at once and one time`() {
    launches.waits("a", at: start)
    #expect(launches.deadline == nil && launches.takeDue(at: start) == [])
    launches.came(for: "b")
    launches.came(for: "a")
    #expect(launches.deadline == start)
    #expect(launches.takeDue(at: start) == ["a"])
    #expect(launches.takeDue(at: start) == [])
    launches.forget("a")
    #expect(launches.deadline == nil)
  }

  @Test mutating func `whoever restarts a program has time for it`() {
    launches.waits("a", after: .restart, at: start)
    launches.came(for: "a")
    #expect(launches.takeDue(at: start) == [])
    #expect(launches.deadline == start + policy.keptRestartTime)
    #expect(launches.takeDue(at: start + policy.keptRestartTime) == ["a"])
  }

  @Test mutating func `failed launches are tried again, later and later, and never given up`() {
    launches.waits("a", at: start)
    launches.came(for: "a")
    var now = start
    var waits: [Interval] = []
    for _ in 0..<12 {
      #expect(launches.takeDue(at: now) == ["a"])
      launches.failed("a", at: now)
      guard let next = launches.deadline else {
        Issue.record("given up")
        return
      }
      waits.append(next - now)
      now = next
    }
    #expect(waits.first == policy.keptLaunchFirst && waits.last == policy.keptLaunchLast)
    #expect(zip(waits, waits.dropFirst()).allSatisfy { $1 == min($0 + $0, policy.keptLaunchLast) })
  }

  @Test mutating func `a launch of which nothing is heard has failed`() {
    launches.waits("a", at: start)
    launches.came(for: "a")
    _ = launches.takeDue(at: start)
    let limit = start + policy.keptLaunchTime
    #expect(launches.deadline == limit)
    #expect(launches.takeDue(at: limit) == [])
    #expect(launches.takeDue(at: limit + policy.keptLaunchFirst) == ["a"])
  }

  @Test mutating func `one that is purged before it has proved itself is launched at once all the same`() {
    launches.waits("a", at: start)
    for _ in 1...4 {
      launches.came(for: "a")
      #expect(launches.takeDue(at: start) == ["a"])
      launches.started("a")
      launches.waits("a", after: .purge, at: start)
    }
  }

  @Test mutating func `one that ends before it has proved itself waits for its next launch`() {
    launches.waits("a", at: start)
    launches.came(for: "a")
    _ = launches.takeDue(at: start)
    launches.started("a")
    #expect(launches.deadline == nil)
    launches.failed("a", at: start)
    launches.waits("a", at: start)
    #expect(launches.takeDue(at: start) == [])
    launches.came(for: "a")
    #expect(launches.deadline == start + policy.keptLaunchFirst)
  }

  @Test mutating func `one whose lines are let go is launched once, at once, also right after a restart`() {
    launches.waits("a", after: .restart, at: start)
    launches.started("a")
    launches.waits("a", after: .letGo, at: start)
    #expect(launches.takeDue(at: start) == ["a"])
    launches.waits("b", after: .letGo, at: start)
    #expect(launches.takeDue(at: start) == ["b"])
  }

  @Test mutating func `programs do not touch each other`() {
    for name in ["a", "b", "c"] { launches.waits(name, at: start) }
    launches.came(for: "c")
    launches.came(for: "a")
    #expect(launches.takeDue(at: start) == ["a", "c"])
    launches.failed("a", at: start)
    launches.came(for: "b")
    #expect(launches.takeDue(at: start) == ["b"])
    #expect(launches.takeDue(at: start + policy.keptLaunchFirst) == ["a"])
  }
}
