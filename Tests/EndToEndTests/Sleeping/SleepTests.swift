import LullSystem
import LullWire
import TestSupport
import Testing

@Suite(.bounded) struct SleepTests {
  @Test func `a byte that came before the sleep is not missed`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let puppet = try Puppet(lull, name: "puppet")
    try puppet.connect()
    try puppet.ask("register name=puppet modes=voip resume=background")
    let (descriptor, peer) = try puppet.dial(Server())
    let line = try puppet.hold(descriptor)
    // It stands still so that the byte is surely unread when the daemon freezes it, but not in a write.
    try eventually("the puppet does not wait") {
      let stat = try Files.read("/proc/\(puppet.pid)/stat", limit: 4096)
      return String(decoding: stat, as: UTF8.self).contains(") S ")
    }
    try lull.cgroup(of: "puppet").freeze()
    try peer.send("early")
    try lull.connect().order("suspend name=puppet")
    try journal.wait("freeze-taken-back", of: "puppet", cause: "data")
    #expect(try puppet.bytes() == "early")
    #expect(try puppet.wait("the wake") { $0.notice == .wake && $0[.reason] == "data" }[.line] == line)
  }

  @Test func `a program that is killed while it is frozen is noticed`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, _) = try Puppet.sleeping(lull, journal)
    try puppet.child.signal(Signal.kill)
    try journal.wait("exited", of: puppet.name)
    #expect(try lull.connect().ask("status name=puppet").last[.code] == "no-such-program")
    #expect(try puppet.child.end() == .signaled(9))
  }

  @Test func `the daemon makes no system call while its programs sleep`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    var puppets: [Puppet] = []
    for number in 1...5 {
      puppets.append(try Puppet.sleeping(lull, journal, name: "puppet-\(number)").puppet)
    }
    let pid = try lull.pid
    _ = try journal.entriesUpToNow()
    let both = [pid, lull.guardian.pid]
    // The locks and the memory of the last sleeper are looked at, each once, when a timer says so.
    try eventually("it does not come to rest") { try Kernel.rest(both, seconds: 5) }
    let calls = try Kernel.systemCalls(of: both, seconds: 4)
    #expect(calls.isEmpty, "\(calls.joined(separator: "\n"))")
    #expect(try lull.state(of: puppets[0].name) == "suspended")
  }
}
