import LullSystem
import LullWire
import TestSupport
import Testing

/// SIGKILL of lulld, of lull-guard and of both, and their orderly end.
@Suite(.tags(.faults), .bounded) struct RestartTests {
  @Test func `killed while its programs sleep, lulld comes back and nothing is lost`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    var sleepers: [(puppet: Puppet, peer: Channel)] = []
    for number in 1...3 {
      sleepers.append(try Puppet.sleeping(lull, journal, name: "puppet-\(number)"))
    }
    let cgroups = try sleepers.map { try lull.cgroup(of: $0.puppet.name) }
    let killed = try lull.kill()
    for (puppet, _) in sleepers { _ = try puppet.told("lost") }
    for cgroup in cgroups { #expect(try !cgroup.state().frozen) }
    let next = try lull.journal()
    for (puppet, peer) in sleepers {
      // The connection is the same as before: the program, which nothing has moved, reads what comes now.
      try peer.send("still there?")
      #expect(try puppet.bytes() == "still there?")
      try puppet.comeBack()
      try next.waitForSleep(of: puppet.name)
      try peer.send("hello")
      #expect(try puppet.bytes() == "hello")
    }
    let daemon = try #require(try lull.order("status").all(.daemon).first)
    #expect(daemon[.restarts] == "1")
    #expect(try daemon.integer(.pid) != Int64(killed))
    #expect(try lull.run("status", "--json").output.contains("\"restarts\""))
  }

  @Test func `a killed guard is replaced, and the new one thaws and starts lulld again`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    let pid = try lull.pid
    try lull.guardian.signal(Signal.kill)
    try lull.guardian.end()
    try journal.wait("guard-replaced")
    #expect(try lull.pid == pid)
    #expect(try lull.cgroup(of: puppet.name).state().frozen)
    try peer.send("one")
    #expect(try puppet.bytes() == "one")
    try journal.waitForSleep(of: puppet.name)
    try lull.kill()
    _ = try puppet.told("lost")
    try peer.send("two")
    #expect(try puppet.bytes() == "two")
    try puppet.comeBack()
    try lull.journal().waitForSleep(of: puppet.name)
    try lull.endReplaced()
  }

  @Test func `SIGTERM to lulld itself ends both in good order`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, _) = try Puppet.sleeping(lull, journal)
    try Process.kill(lull.pid, Signal.terminate)
    #expect(try lull.guardian.end() == .exited(0))
    _ = try puppet.told("lost")
    #expect(!Files.exists(lull.socket))
  }

  @Test func `a sleeping command sleeps again under the next daemon, by the same rules`() throws {
    let stage = try Stage()
    let (port, other) = try (stage.network.freePort(), stage.network.freePort())
    let command = try Python.command(Python.datagrams, "\(port)", "\(other)")
    try stage.runToSleep("echo", command, options: ["--ignore", "\(other)", "--keep-alive", "600"])
    try stage.lull.kill()
    let journal = try stage.lull.journal()
    try journal.waitForSleep(of: "echo")
    #expect(try stage.lull.item(.keepalive, of: "echo").number(.timeoutSeconds) == 600)
    #expect(try stage.lull.order("lines name=echo").all(.line).count { $0[.line] == "udp" } == 1)
    try stage.network.datagrams(to: other).send("for nobody")
    try stage.network.datagrams(to: port).send("hello")
    #expect(try journal.wait("woke", of: "echo").string(.detail).contains("127.0.0.1:\(port)"))
  }

  @Test func `SIGTERM ends a guard that waits before it starts lulld again`() throws {
    let lull = try Lull()
    for _ in 1...4 { try lull.kill() }
    try lull.guardian.signal(Signal.terminate)
    #expect(try lull.guardian.end() == .exited(0))
    #expect(!Files.exists(lull.socket))
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
}
