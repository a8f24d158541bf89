import LullSystem
import LullWire
import Synchronization
import TestSupport
import Testing

@testable import LullDaemon

private let serial = Atomic<Int>(0)

/// Tests on real cgroups, which fail where none can be made.
@Suite(.bounded) final class CgroupPlaceTests {
  private let root: String
  private let place: CgroupPlace

  init() throws {
    let number = serial.wrappingAdd(1, ordering: .relaxed).newValue
    root = try "\(CgroupMount.find())/lull-place-test-\(Identity.pid())-\(number)"
    place = CgroupPlace.find(root: root, Journal())
    try #require(place.root != nil, "these tests need the right to make cgroups: \(place.lack?.text ?? "")")
  }

  deinit { removeCgroups(below: root) }

  private func sleeper(in cgroup: Cgroup) throws -> Child {
    var request = SpawnRequest(["sleep", "1000"])
    request.cgroup = cgroup.directory
    return try Child(request)
  }

  @Test func `a program's cgroup is a leaf with its name`() throws {
    let cgroup = try #require(try place.make(for: "phone"))
    #expect(cgroup.path == "\(root)/phone.program")
    #expect(Files.exists(cgroup.path))
    place.retire(cgroup)
    #expect(!Files.exists(cgroup.path))
  }

  @Test(arguments: ["cgroup.procs", "memory.max", "pids.max", "cpu.stat", "a.program", "a"])
  func `no name of a program is that of a file of the kernel`(name: String) throws {
    let cgroup = try #require(try place.make(for: name))
    let other = try #require(try place.make(for: name + ".program"))
    #expect(cgroup.path != other.path)
    let child = try sleeper(in: cgroup)
    #expect(try cgroup.processes() == [child.pid])
  }

  @Test func `a process that has the number of one that ended is put out again`() throws {
    let cgroup = try #require(try place.make(for: "phone"))
    let gone = try Child(SpawnRequest(["true"]))
    let pidfd = DescriptorBox(try Process.pidfdOpen(gone.pid))
    try gone.end()
    let stranger = try Child(SpawnRequest(["sleep", "1000"]))
    let error = #expect(throws: SystemError.self) { try place.move(stranger.pid, pidfd, to: cgroup) }
    #expect(error?.isNoSuchProcess == true)
    #expect(try !Process.cgroupPath(of: stranger.pid).contains("phone"))
    #expect(!Files.exists(cgroup.path))
  }

  @Test func `a leaf in which something still runs is not used again`() throws {
    let first = try #require(try place.make(for: "phone"))
    let left = try sleeper(in: first)
    #expect(try place.make(for: "phone")?.path == "\(root)/phone.program-2")
    try left.signal(Signal.kill)
    try left.end()
    try eventually("the cgroup did not become empty") { try !first.state().populated }
    #expect(try place.make(for: "phone")?.path == "\(root)/phone.program")
  }

  @Test func `a leaf that was killed as a whole is made anew`() throws {
    try #require(try place.make(for: "phone")).killAll()
    let again = try #require(try place.make(for: "phone"))
    #expect(again.path == "\(root)/phone.program")
    let child = try sleeper(in: again)
    try child.signal(Signal.terminate)
    #expect(try child.end() == .signaled(Signal.terminate))
  }

  @Test func `what still runs when its cgroup is retired goes on outside, thawed`() throws {
    let cgroup = try #require(try place.make(for: "phone"))
    let left = try sleeper(in: cgroup)
    try cgroup.freeze()
    place.retire(cgroup)
    #expect(!Files.exists(cgroup.path))
    let path = try Process.cgroupPath(of: left.pid)
    #expect(!path.contains("phone"))
    try left.signal(Signal.terminate)
    #expect(try left.end() == .signaled(Signal.terminate))
  }

  @Test func `a process is known by what /proc says of its cgroup`() throws {
    let cgroup = try #require(try place.make(for: "phone"))
    let child = try sleeper(in: cgroup)
    let path = try Process.cgroupPath(of: child.pid)
    #expect(place.relative(cgroup.path) == path)
    #expect(place.existing(path)?.path == cgroup.path)
    #expect(try place.existing(Process.cgroupPath(of: Identity.pid())) == nil)
    #expect(place.existing(path + "-other") == nil)
  }

  @Test func `a directory that was frozen by somebody is thawed when it is taken over`() throws {
    try Cgroup.open(at: root).freeze()
    #expect(CgroupPlace.find(root: root, Journal()).root == root)
    try eventually("it did not thaw") { try !Cgroup.open(at: root).state().frozen }
  }

  @Test func `where no cgroup can be made there is a note that says why`() throws {
    let nowhere = CgroupPlace.find(root: "/proc/lull", Journal())
    #expect(nowhere.root == nil)
    #expect(nowhere.lack?.text.hasPrefix("unwritable: /proc/lull: ") == true)
    #expect(try nowhere.make(for: "phone") == nil)
    #expect(CgroupPlace.find(root: nil, Journal()).lack?.cause == .noHierarchy)
  }
}
