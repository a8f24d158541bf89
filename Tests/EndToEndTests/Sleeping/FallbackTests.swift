import LullSystem
import LullWire
import TestSupport
import Testing

/// Machines that do not allow everything.
@Suite(.bounded) struct FallbackTests {
  @Test func `where no cgroup can be written programs sleep by SIGSTOP, and status says so`() throws {
    let lull = try Lull(cgroupRoot: "/proc/nonexistent")
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    #expect(try Kernel.status(puppet.pid, "State").hasPrefix("T"))
    let status = try lull.run("status").output
    #expect(status.contains("signal") || status.contains("SIGSTOP"))
    for round in 1...20 {
      try peer.send("\(round)")
      #expect(try puppet.bytes() == "\(round)")
      try journal.waitForSleep(of: puppet.name)
    }
    #expect(try Kernel.status(puppet.pid, "State").hasPrefix("T"))
    let why = try lull.run("why", "puppet").output
    #expect(why.contains("suspended by SIGSTOP: no cgroup can be written: /proc/nonexistent"))
  }

  @Test func `a shell sleeps by SIGSTOP with its job, and learns that the job has ended`() throws {
    let lull = try Lull(cgroupRoot: "/proc/nonexistent")
    let journal = try lull.journal()
    let words = ["run", "--detach", "--mode", "voip", "--name", "job", "--timers", "never", "--"]
    let shell = ["dash", "-c", "\"$@\" & wait", "dash"]
    #expect(try lull.run(words + shell + Python.command(FollowTests.server)).status == .exited(0))
    #expect(try lull.run("background", "job").status == .exited(0))
    for _ in 1...3 {
      try journal.waitForSleep(of: "job")
      #expect(try lull.run("wake", "job").status == .exited(0))
    }
    try journal.waitForSleep(of: "job")
    #expect(try !lull.run("why", "job").output.contains("SIGCHLD"))
    let pids = try lull.field(.pids, of: "job").split(separator: ",").compactMap { Int32($0) }
    #expect(pids.count == 2)
    let job = try #require(pids.max())
    try Process.kill(job, Signal.kill)
    try journal.wait("exited", of: "job")
  }

  /// Daemon and program belong to a uid without rights, in a delegated cgroup, and the program is not
  /// dumpable.
  @Test func `without ptrace rights a program hands its descriptors over and sleeps as well`() throws {
    let sandbox = try Sandbox()
    let nobody = try Nobody(sandbox, copying: ["lulld", "lull-guard"])
    let lull = try Lull(sandbox: sandbox, prefix: nobody.prefix, binaries: nobody.folder)
    let puppet = try Puppet(
      lull, name: "puppet", prefix: nobody.prefix, executable: "\(nobody.folder)/puppet")
    try puppet.order("undumpable")
    try puppet.order("daemon")
    _ = try puppet.told("connected")
    let registered = try puppet.ask("register name=puppet modes=voip resume=background")
    #expect(registered[.handover] == "true")
    try Self.sleepAndWake(puppet, lull)
  }

  private static func sleepAndWake(_ puppet: Puppet, _ lull: Lull) throws {
    let (descriptor, peer) = try puppet.dial(Server())
    try puppet.hold(descriptor)
    let ticket = try puppet.notice(.wake).unsigned(.ticket)
    try puppet.order("auto")
    try puppet.last("done ticket=\(ticket)")
    let place = try #require(try Cgroup.children(of: lull.sandbox.cgroup).first { $0 != "start" })
    let cgroup = try Cgroup.open(at: "\(lull.sandbox.cgroup)/\(place)/puppet.program")
    for round in 1...5 {
      _ = try puppet.notice(.prepare)
      try Kernel.waitUntilFrozen(cgroup)
      try peer.send("\(round)")
      #expect(try puppet.bytes() == "\(round)")
    }
    _ = try puppet.notice(.prepare)
    try Kernel.waitUntilFrozen(cgroup)
  }
}
