import LullSystem
import LullWire
import TestSupport
import Testing

/// lull-guard under a service manager, which the test plays.
@Suite(.tags(.faults), .bounded) struct ServiceTests {
  @Test func `the service manager is told of the start, the life and the end`() throws {
    let manager = try ServiceSocket()
    let lull = try Lull(environment: manager.environment(watchdog: 2_000_000))
    let ready = try manager.wait(for: "READY=1")
    #expect(ready["MAINPID"] == "\(lull.guardian.pid)")
    try manager.wait(for: "WATCHDOG=1")
    let daemon = try #require(try lull.order("status").all(.daemon).first)
    #expect(daemon[.startedBy] == "service")
    #expect(daemon[.watchdog] == "2")
    try lull.guardian.signal(Signal.terminate)
    try manager.wait(for: "STOPPING=1")
    #expect(try lull.guardian.end() == .exited(0))
  }

  @Test func `a guard that replaces a dead one is the main process`() throws {
    let manager = try ServiceSocket()
    let lull = try Lull(environment: manager.environment())
    try manager.wait(for: "READY=1")
    try lull.guardian.signal(Signal.kill)
    let ready = try manager.wait(for: "READY=1")
    let replaced = try #require(ready["MAINPID"].flatMap(Int32.init))
    #expect(replaced != lull.guardian.pid)
    try lull.endReplaced()
  }

  @Test func `lulld and its programs do not get the variables of the service`() throws {
    let manager = try ServiceSocket()
    let lull = try Lull(environment: manager.environment())
    let environment = try Kernel.text("/proc/\(lull.pid)/environ").split(separator: "\0")
    #expect(!environment.contains { $0.hasPrefix("NOTIFY_SOCKET=") || $0.hasPrefix("WATCHDOG_USEC=") })
  }

  @Test func `a restart of the service leaves a sleeping command and its connection alone`() throws {
    let manager = try ServiceSocket()
    let stage = try Stage(environment: manager.environment())
    let port = try stage.network.freePort()
    let run = try stage.runToSleep("echo", Python.command(Python.echo, "127.0.0.1", "\(port)"))
    let peer = try stage.network.connect(to: port)
    try stage.journal.wait("woke", of: "echo", cause: "accept")
    try peer.send("one\n")
    #expect(try peer.line() == "one")
    try stage.journal.waitForSleep(of: "echo")
    let pids = try stage.pids(of: "echo").sorted()
    let cgroup = try stage.lull.field(.cgroup, of: "echo")

    try stage.lull.guardian.signal(Signal.terminate)
    #expect(try stage.lull.guardian.end() == .exited(0))
    try peer.send("two\n")
    #expect(try peer.line() == "two")

    try stage.lull.startAgain()
    let journal = try stage.lull.journal()
    try journal.waitForSleep(of: "echo")
    try peer.send("three\n")
    #expect(try peer.line() == "three")
    #expect(try journal.wait("woke", of: "echo", cause: "data")[.line] != nil)
    #expect(try stage.pids(of: "echo").sorted() == pids)
    #expect(try stage.lull.field(.cgroup, of: "echo") == cgroup)
    #expect(try stage.lull.run("quit", "echo").status == .exited(0))
    #expect(try !run.errors.untilEnd().contains("the daemon is gone"))
    while let news = try manager.waiting() { #expect(!news.lines.contains("FDSTORE=1")) }
  }

  @Test func `programs that are ended with the daemon are not handed to the service manager`() throws {
    let manager = try ServiceSocket()
    let lull = try Lull(environment: manager.environment())
    try lull.detach("one")
    #expect(try lull.run("daemon", "stop", "--programs").status == .exited(0))
    while let news = try manager.waiting() { #expect(!news.lines.contains("FDSTORE=1")) }
    #expect(try Cgroup.children(of: lull.sandbox.cgroup) == [])
  }
}
