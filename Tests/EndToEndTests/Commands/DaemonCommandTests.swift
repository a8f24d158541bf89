import LullSystem
import LullWire
import TestSupport
import Testing

/// `lull daemon stop` and `lull daemon status`.
@Suite(.bounded) struct DaemonCommandTests {
  @Test func `stop thaws every program and ends both processes`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    let stop = try lull.run("daemon", "stop")
    #expect(stop.status == .exited(0), "\(stop.errors)")
    #expect(stop.output == "the daemon has ended; 1 program goes on, awake\n")
    #expect(try !lull.guardian.isAlive)
    #expect(try lull.guardian.end() == .exited(0))
    _ = try puppet.told("lost")
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    #expect(!Files.exists(lull.socket))
    let again = try lull.run("daemon", "stop")
    #expect(again.status == .exited(0))
    #expect(again.output == "no daemon runs\n")
    #expect(try lull.run("daemon", "status").status == .exited(1))
  }

  @Test func `start starts a daemon where none runs, and what is installed`() throws {
    let lull = try Lull()
    #expect(try lull.run("daemon", "start").output == "a daemon runs already\n")
    #expect(try lull.run("install", "p", "--", "sleep", "1000").status == .exited(0))
    #expect(try lull.run("daemon", "stop", "--programs").status == .exited(0))
    #expect(try lull.guardian.end() == .exited(0))
    let start = try lull.run("daemon", "start")
    #expect(start.status == .exited(0) && start.output == "the daemon runs\n", "\(start)")
    #expect(try lull.run("daemon", "status").output.contains(" by \"lull daemon start\"\n"))
    try lull.journal().wait("launched", of: "p", cause: "boot")
    #expect(try lull.run("daemon", "stop", "--programs").status == .exited(0))
  }

  @Test func `start boots what a daemon that was started to boot nothing has left alone`() throws {
    let lull = try Lull()
    for name in ["p", "q"] {
      #expect(try lull.run("install", name, "--", "sleep", "1000").status == .exited(0))
    }
    #expect(try lull.run("daemon", "stop", "--programs").status == .exited(0))
    #expect(try lull.guardian.end() == .exited(0))
    #expect(try lull.run("list").status == .exited(0))
    #expect(try lull.order("status").all(.program).isEmpty)
    #expect(try lull.run("daemon", "start").output == "a daemon runs already\n")
    let journal = try lull.journal()
    for name in ["p", "q"] { try journal.wait("launched", of: name, cause: "boot") }
    // The one that somebody wants is started for the user, and the others with it.
    #expect(try lull.run("daemon", "stop", "--programs").status == .exited(0))
    #expect(try lull.run("list").status == .exited(0))
    #expect(try lull.run("start", "p").status == .exited(0))
    let next = try lull.journal()
    try next.wait("launched", of: "p", cause: "user")
    try next.wait("launched", of: "q", cause: "boot")
    #expect(try lull.run("daemon", "stop", "--programs").status == .exited(0))
  }

  @Test func `a program that ended with the daemon was not quit, and the next one tells its end`() throws {
    let (lull, netcat) = (try Lull(), try Netcat())
    let journal = try lull.journal()
    let phone = try lull.startPhone(netcat)
    try lull.detach("one")
    try journal.waitForSleep(of: "phone")
    #expect(try lull.run("daemon", "stop", "--programs").status == .exited(0))
    #expect(try phone.end() == .signaled(Signal.kill))
    #expect(try lull.guardian.end() == .exited(0))
    let stored = try lull.run("why", "phone")
    #expect(stored.output.hasPrefix("phone: ended with the daemon (SIGKILL) at "), "\(stored)")
    #expect(stored.errors == "")
    let ends = try lull.order("status all").all(.ended)
    #expect(ends.map { $0[.reason] } == ["daemon-stopped", "daemon-stopped"])
    #expect(try lull.run("status", "--all").output.contains("ended with the daemon (SIGTERM)"))
  }

  @Test func `status tells the processes and what started them`() throws {
    let lull = try Lull()
    let status = try lull.run("daemon", "status", "--json").output
    #expect(status.contains("\"guard\" : \(lull.guardian.pid)"))
    #expect(try status.contains("\"pid\" : \(lull.pid)"))
    #expect(status.contains("\"startedBy\" : \"hand\""))
    #expect(status.contains("\"watchdogSeconds\" : null"))
    let text = try lull.run("daemon", "status").output
    #expect(text.contains("process \(lull.guardian.pid), watches"))
    #expect(text.contains(lull.socket))
  }

  @Test func `the first command starts a daemon that says so`() throws {
    let lull = try Lull()
    #expect(try lull.run("daemon", "stop").status == .exited(0))
    try lull.detach("one")
    let status = try lull.run("daemon", "status", "--json").output
    #expect(status.contains("\"startedBy\" : \"use\""))
    #expect(try lull.run("daemon", "stop", "--programs").status == .exited(0))
  }
}
