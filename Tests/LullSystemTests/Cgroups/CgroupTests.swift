import Glibc
import LullSystem
import TestSupport
import Testing

@testable import LullSystem

@Suite(.bounded) struct CgroupTests {
  @Test func `the mount point is found on a hybrid system, with its escapes decoded`() {
    let text = """
      23 1 0:21 / /proc rw,relatime shared:5 - proc proc rw
      32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
      41 31 0:38 / /sys/fs/my\\040cgroup\\134x rw,relatime shared:9 master:1 - cgroup2 cgroup2 rw
      """
    #expect(CgroupMount.mountPoint(in: Array(text.utf8)) == "/sys/fs/my cgroup\\x")
  }

  @Test(arguments: ["", "\n\n", "1 2 3 - cgroup2", "a b c d e -", "23 1 0:21 / /proc rw - proc proc rw"])
  func `a text without a v2 mount has none`(text: String) {
    #expect(CgroupMount.mountPoint(in: Array(text.utf8)) == nil)
  }

  @Test func `bytes that are not UTF-8 in a mount point do not matter`() {
    let text = Array("41 31 0:38 / /a\\377\\09".utf8) + [0xff] + Array(" rw - cgroup2 cgroup2 rw".utf8)
    #expect(CgroupMount.mountPoint(in: text) == "/a\u{fffd}\\09\u{fffd}")
  }

  @Test func `a caller that asks for its own cgroup again is told of a move`() async {
    await #expect(processExitsWith: .success) {
      let group = try TestCgroup()
      let own = try OwnCgroup()
      let before = try own.path()
      #expect(try before == CgroupMount.ownPath())
      try group.cgroup.move(getpid())
      #expect(try own.path() == CgroupMount.ownPath() && own.path() != before)
      try Cgroup.move(getpid(), to: CgroupMount.find() + before)
      #expect(try own.path() == before)
    }
  }

  @Test(
    arguments: [
      ("populated 0\nfrozen 0\n", false, false), ("populated 1\nfrozen 0\n", true, false),
      ("populated 1\nfrozen 1\n", true, true), ("frozen 1\npopulated 0\nnew 1\n", false, true),
      ("", false, false),
    ])
  func `the state is read in any order`(text: String, populated: Bool, frozen: Bool) {
    let bytes = Array(text.utf8)
    let state = Cgroup.parse(bytes.span)
    #expect(state.populated == populated)
    #expect(state.frozen == frozen)
  }

  @Test func `a cgroup is made, found, listed and removed`() throws {
    let parent = try TestCgroup()
    let path = "\(parent.cgroup.path)/leaf"
    let made = try Cgroup.create(at: path)
    #expect(try made.state() == (populated: false, frozen: false))
    #expect(try Cgroup.create(at: path).path == path)
    #expect(try Cgroup.open(at: path).processes() == [])
    #expect(try Cgroup.children(of: parent.cgroup.path) == ["leaf"])
    try made.remove()
    #expect(try Cgroup.children(of: parent.cgroup.path) == [])
    let error = #expect(throws: SystemError.self) { try Cgroup.open(at: path) }
    #expect(error?.isNoSuchFile == true)
  }

  @Test func `a cgroup whose files cannot be opened does not stay behind`() async {
    await #expect(processExitsWith: .success) {
      let path = "\(try CgroupMount.find())/lull-test-\(Identity.pid())-unopened"
      let next = DescriptorBox(try Files.openNull()).raw
      var limit = rlimit(rlim_cur: rlim_t(next), rlim_max: 4096)
      try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      #expect(throws: SystemError.self) { _ = try Cgroup.create(at: path) }
      #expect(!Files.exists(path))
    }
  }

  @Test func `a cgroup without a parent is refused with its path`() throws {
    let path = "\(try CgroupMount.find())/lull-test-missing/leaf"
    let error = #expect(throws: SystemError.self) { try Cgroup.create(at: path) }
    #expect(error.map { "\($0)" } == "mkdir \(path): No such file or directory (ENOENT)")
  }

  @Test func `without cgroup.kill every process in it and below is killed one by one`() throws {
    let parent = try TestCgroup()
    let child = try TestCgroup(below: parent)
    let programs = try [parent, child, child].map { try Child(["sleep", "60"], in: $0) }
    try child.freeze()
    try parent.cgroup.killEach()
    for program in programs {
      #expect(try program.end() == .signaled(Signal.kill))
    }
  }

  @Test func `a process whose main thread has ended is killed with the others`() throws {
    let group = try TestCgroup()
    let text = """
      import ctypes, threading, time
      threading.Thread(target=lambda: time.sleep(600)).start()
      ctypes.CDLL(None).pthread_exit(None)
      """
    let program = try Child(["python3", "-c", text], in: group)
    try eventually("its main thread goes on") { try Process.isEnding(program.pid) }
    #expect(try group.cgroup.processes() == [program.pid])
    try group.cgroup.killAll()
    #expect(try program.end() == .signaled(Signal.kill))
  }

  @Test func `a process is moved, and an occupied cgroup is not removed`() throws {
    let group = try TestCgroup()
    let program = try Child(SpawnRequest(["sleep", "60"]))
    #expect(try group.cgroup.state().populated == false)
    try group.cgroup.move(program.pid)
    #expect(try group.cgroup.processes() == [program.pid])
    #expect(try group.cgroup.state().populated)
    let error = #expect(throws: SystemError.self) { try group.cgroup.remove() }
    #expect(error?.isBusy == true)
  }
}
