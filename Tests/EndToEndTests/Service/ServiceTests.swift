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
}
