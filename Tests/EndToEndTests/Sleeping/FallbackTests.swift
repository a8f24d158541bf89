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
