import Glibc
import LullSystem
import TestSupport
import Testing

/// The behaviour of processes and their parents on which the daemon relies.
@Suite(.bounded) struct KernelProcessTests {
  @Test func `a spawned program begins in its cgroup`() throws {
    let group = try TestCgroup()
    let program = try Child(["sleep", "60"], in: group)
    #expect(try group.cgroup.processes() == [program.pid])
    let mount = try CgroupMount.find()
    #expect(try mount + Process.cgroupPath(of: program.pid) == group.cgroup.path)
  }

  @Test func `a child of the program is born in the program's cgroup`() throws {
    let group = try TestCgroup()
    let (here, there) = try UnixSocket.pair()
    let program = try Child(["sh", "-c", "sleep 60 & echo; wait"], in: group, output: there.raw)
    #expect(try receive(1, from: here.raw) == [10])
    #expect(try group.cgroup.processes().count == 2)
    #expect(try group.cgroup.processes().contains(program.pid))
  }

  @Test func `abandoned children are re-parented to the subreaper, which can reap them`() async {
    await #expect(processExitsWith: .success) {
      try Process.becomeSubreaper()
      var request = SpawnRequest(["sh", "-c", "sleep 60 >/dev/null & echo $!"])
      let (here, there) = try UnixSocket.pair()
      request.standardOutput = there.raw
      let parent = try Child(request)
      there.close()
      let line = try readAll(here.raw)
      try parent.end()
      let orphan = try #require(Int32(String(decoding: line.dropLast(), as: UTF8.self)))
      #expect(try Process.parentPid(of: orphan) == getpid())
      #expect(try Process.reapAny() == nil)
      let pidfd = try Process.pidfdOpen(orphan)
      try Process.kill(orphan, Signal.kill)
      _ = try ready(pidfd.raw, .readable)
      let reaped = try #require(try Process.reapAny())
      #expect(reaped == (pid: orphan, status: .signaled(Signal.kill)))
      #expect(try Process.reapAny() == nil)
    }
  }

  @Test func `SO_PEERPIDFD names the process that connected`() throws {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/socket"
    let listener = try UnixSocket.listen(path: path)
    let client = try UnixSocket.connect(path: path)
    let server = try box(Socket.accept(from: listener.raw))
    let pidfd = try UnixSocket.peerPidfd(of: server.raw)
    let own = try Process.pidfdOpen(getpid())
    #expect(try FileIdentity.of(pidfd.raw) == FileIdentity.of(own.raw))
    _ = client.raw
  }

  @Test func `killing a cgroup ends every process in it and below, frozen or not`() throws {
    let parent = try TestCgroup()
    let child = try TestCgroup(below: parent)
    let programs = [
      try Child(["sleep", "60"], in: parent), try Child(["sleep", "60"], in: child),
    ]
    try child.freeze()
    try parent.cgroup.killAll()
    for program in programs {
      #expect(try program.end() == .signaled(Signal.kill))
    }
  }
}
