import LullSystem
import TestSupport
import Testing

@testable import LullGuard

/// The programs that lull-guard lets go, in real cgroups.
@Suite(.bounded) struct FrozenProgramsTests {
  @Test func `every leaf is thawed, and an empty one stays`() throws {
    // The name is that of a daemon's directory: no other is touched.
    let root = try "\(CgroupMount.find())/lull-\(String(Identity.pid(), radix: 16))"
    let place = try Cgroup.create(at: root)
    let (full, empty) = try (Cgroup.create(at: "\(root)/a.program"), Cgroup.create(at: "\(root)/b.program"))
    var request = SpawnRequest(["sleep", "1000"])
    request.cgroup = full.directory
    let child = try Child(request)
    try full.freeze()
    try eventually("it did not freeze") { try full.state().frozen }
    FrozenPrograms(root: root).thawCgroups()
    #expect(try !full.state().frozen)
    #expect(Files.exists(empty.path))
    try child.signal(Signal.terminate)
    #expect(try child.end() == .signaled(Signal.terminate))
    for cgroup in [full, empty, place] { try cgroup.remove() }
  }

  @Test func `each runtime directory has a directory of its own, always the same`() throws {
    let one = try FrozenPrograms.root(runtimeDirectory: "/run/a", override: "/cg")
    let two = try FrozenPrograms.root(runtimeDirectory: "/run/b", override: "/cg")
    #expect(one != two)
    #expect(one.hasPrefix("/cg/lull-"))
    #expect(try one == FrozenPrograms.root(runtimeDirectory: "/run/a", override: "/cg"))
    let own = try FrozenPrograms.root(runtimeDirectory: "/run/a", override: nil)
    #expect(try own.hasPrefix(CgroupMount.find()))
  }
}
