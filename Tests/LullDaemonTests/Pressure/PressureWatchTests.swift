import LullEngine
import LullSystem
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct PressureWatchTests {
  private let watch: PressureWatch

  init() throws { watch = PressureWatch(try SharedServices(DaemonOptions()), PressurePolicy()) }

  @Test func `a trigger is there, or the reason why not`() {
    watch.begin(cgroups: nil)
    #expect(watch.paths.isEmpty == (watch.failure != nil))
    #expect(watch.deadline == nil)
  }

  @Test func `a rest closes the triggers, and its end opens them again`() {
    watch.begin(cgroups: nil)
    let before = watch.paths
    watch.rest(.warning, until: 7)
    #expect(watch.paths == before, "what is critical is still reported")
    watch.rest(.critical, until: 9)
    #expect(watch.paths.isEmpty && watch.deadline == 9)
    watch.timeIsUp(at: 8)
    #expect(watch.paths.isEmpty)
    watch.timeIsUp(at: 9)
    #expect(watch.paths == before && watch.deadline == nil)
  }

  @Test func `a cgroup that is gone is not watched any more`() throws {
    let cgroup = try TestCgroup().cgroup.path
    watch.begin(cgroups: cgroup)
    #expect(!watch.paths.contains("\(cgroup)/memory.pressure"))
    #expect(watch.ready(2, .error) == nil)
    #expect(watch.ready(99, .priority) == nil)
  }
}
