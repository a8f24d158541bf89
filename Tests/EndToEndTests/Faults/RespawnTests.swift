import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

/// Guards and daemons that die again and again.
@Suite(.tags(.faults), .bounded) struct RespawnTests {
  @Test func `the guard starts lulld again however often it is killed`() throws {
    let lull = try Lull()
    for _ in 1...6 { try lull.kill() }
    #expect(try lull.order("status").all(.daemon).first?[.restarts] == "6")
  }

  @Test func `SIGTERM ends a guard that waits before it starts lulld again`() throws {
    let lull = try Lull()
    for _ in 1...4 { try lull.kill() }
    try lull.guardian.signal(Signal.terminate)
    #expect(try lull.guardian.end() == .exited(0))
    #expect(!Files.exists(lull.socket))
  }

  @Test func `without a guard programs run, and the next one is started when it can be`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    let (control, pid) = (try lull.connect(), try lull.pid)
    let hidden = lull.sandbox.directory + "-hidden"
    try Kernel.check(unsafe rename(lull.sandbox.directory, hidden))
    try lull.guardian.signal(Signal.kill)
    try journal.wait("woke", of: puppet.name)
    #expect(try !lull.cgroupOf(puppet, control).state().frozen)
    let remark = try control.order("status").all(.remark).first?[.text] ?? ""
    #expect(remark.hasPrefix("no lull-guard can be started"))
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    #expect(try children(of: pid) <= 1)
    try Kernel.check(unsafe rename(hidden, lull.sandbox.directory))
    try journal.wait("guard-replaced")
    try journal.waitForSleep(of: puppet.name)
    #expect(try control.order("status").all(.remark).isEmpty)
    try lull.endReplaced(pid)
  }

  /// The second one comes from lulld's own program, since the installed one seems to end at once.
  @Test func `guards that die one after the other are replaced, and are known by their names`() throws {
    let lull = try Lull()
    let (journal, pid) = (try lull.journal(), try lull.pid)
    for _ in 1...4 {
      let guardian = try #require(Int32(lull.order("status").all(.daemon).first?[.guardPid] ?? ""))
      let name = try Process.commandName(of: guardian)
      #expect(["lulld", "lull-guard"].contains(name), "\(name)")
      try Process.kill(guardian, Signal.kill)
      try journal.wait("guard-replaced")
    }
    try lull.endReplaced(pid)
  }

  @Test func `a guard that is stopped before it says a word is continued`() throws {
    let sandbox = try Sandbox()
    let folder = "\(sandbox.directory)/bin"
    let maker = try ConnectedChild(["mkdir", folder])
    try #require(try maker.end() == .exited(0))
    try Kernel.copy(Built.program("lulld"), to: "\(folder)/lulld", mode: 0o700)
    let script = """
      #!/bin/sh
      kill -STOP $$
      exec "\(try Built.program("lull-guard"))" "$@"
      """
    try Kernel.write(script, to: "\(folder)/source")
    try Kernel.copy("\(folder)/source", to: "\(folder)/lull-guard", mode: 0o700)
    let lull = try Lull(sandbox: sandbox, binaries: folder)
    let (journal, pid) = (try lull.journal(), try lull.pid)
    try lull.guardian.signal(Signal.kill)
    try journal.wait("guard-replaced")
    try lull.endReplaced(pid)
  }

  /// The guard that took the command's status died before it told of the end, and the next guard is not the
  /// parent.
  @Test func `the end of a restored command is told, though its guard dies with it`() throws {
    let lull = try Lull()
    try lull.detach("sleep")
    try lull.kill()
    let control = try lull.connect()
    let command = Int32(try control.order("attach name=sleep").last.integer(.pid))
    let pidfd = try Process.pidfdOpen(command)
    try lull.guardian.signal(Signal.stop)
    try Process.kill(command, Signal.kill)
    try Deadline().wait(pidfd.raw, .readable, for: "the end of the command")
    // By now lulld has seen the end as well.
    for _ in 1...2 { try control.order("hello") }
    try lull.guardian.signal(Signal.kill)
    let exited = try control.notice()
    #expect(exited.notice == .exited && exited[.name] == "sleep")
    try lull.endReplaced()
  }

  private func children(of pid: Int32) throws -> Int {
    try Kernel.text("/proc/\(pid)/task/\(pid)/children").split(separator: " ").count
  }
}

extension Lull {
  fileprivate func cgroupOf(_ puppet: Puppet, _ control: Control) throws -> Cgroup {
    let item = try #require(control.order("status name=\(puppet.name)").all(.program).first)
    return try Cgroup.open(at: CgroupMount.find() + #require(item[.cgroup]))
  }
}
