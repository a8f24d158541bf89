import Glibc
import LullEngine
import LullGuard
import LullSystem
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct PressureWatchTests {
  /// The root of a machine with the kernel's own triggers, and a memory of the test's.
  private let root: TemporaryDirectory
  private let watch: PressureWatch

  init() throws {
    root = try TemporaryDirectory()
    try Files.makeDirectories("\(root.path)/proc")
    let isMade = unsafe symlink("/proc/pressure", "\(root.path)/proc/pressure") == 0
    try #require(isMade)
    watch = PressureWatch(try SharedServices(DaemonOptions()), PressurePolicy(), root: root.path)
  }

  /// So many percent of the memory are available from now on.
  private func available(_ percent: Int) throws {
    _ = try root.file("proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable:  \(percent)0000 kB\n")
  }

  private func reports(_ index: Int) -> MemoryPressure? { watch.ready(index, .priority, orRestsUntil: 5) }

  @Test func `a trigger is there, or the reason why not`() {
    watch.begin(cgroups: nil)
    #expect(watch.paths.isEmpty == (watch.failure != nil))
    #expect(watch.deadline == nil)
  }

  @Test func `a rest closes the triggers, and its end opens them again`() {
    watch.begin(cgroups: nil)
    let (paths, count) = (watch.paths, watch.openCount)
    #expect(count == 2)
    watch.rest(.warning, until: 7)
    #expect(watch.openCount == 1, "what is critical is still reported")
    watch.rest(.critical, until: 9)
    #expect(watch.openCount == 0 && watch.deadline == 9)
    watch.timeIsUp(at: 8)
    #expect(watch.openCount == 0)
    #expect(watch.paths == paths, "a rest is no lack")
    watch.timeIsUp(at: 9)
    #expect(watch.openCount == count && watch.deadline == nil)
  }

  @Test func `the machine's reports count while it is short of memory`() throws {
    watch.begin(cgroups: nil)
    try available(19)
    #expect(reports(0) == .warning && reports(1) == .critical)
    #expect(watch.openCount == 2 && watch.deadline == nil)
  }

  @Test func `one about somebody at a limit of its own lets that trigger rest`() throws {
    watch.begin(cgroups: nil)
    try available(20)
    #expect(reports(0) == nil)
    #expect(watch.openCount == 1 && watch.deadline == 5)
    try available(10)
    #expect(reports(1) == .critical)
    #expect(reports(0) == nil)
    watch.timeIsUp(at: 5)
    #expect(reports(0) == .warning)
  }

  @Test func `those of the programs' cgroup always count`() throws {
    let own = try TestCgroup()
    watch.begin(cgroups: own.cgroup.path)
    try available(90)
    #expect(watch.availablePercent == 90)
    #expect(reports(2) == .warning && reports(3) == .critical)
    #expect(watch.openCount == 4)
    withExtendedLifetime(own) {}
  }

  @Test func `where the kernel does not tell what is available, every report counts`() {
    watch.begin(cgroups: nil)
    #expect(watch.availablePercent == nil)
    #expect(reports(0) == .warning)
  }

  @Test func `a cgroup that is gone is not watched any more`() throws {
    let cgroup = try TestCgroup().cgroup.path
    watch.begin(cgroups: cgroup)
    #expect(!watch.paths.contains("\(cgroup)/memory.pressure"))
    #expect(watch.ready(2, .error, orRestsUntil: 5) == nil)
    #expect(watch.ready(99, .priority, orRestsUntil: 5) == nil)
  }
}
