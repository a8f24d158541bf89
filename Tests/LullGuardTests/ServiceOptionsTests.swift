import LullWire
import TestSupport
import Testing

@testable import LullGuard

@Suite(.bounded) struct ServiceOptionsTests {
  private func options(
    _ variables: [String: String], starter: Vocabulary.Starter = .hand
  ) -> ServiceOptions {
    ServiceOptions(pid: 7, starter: starter, at: 5_000_000_000) { variables[$0] }
  }

  @Test func `by hand, by a command, as a service`() {
    #expect(options([:]).starter == .hand)
    for starter in [Vocabulary.Starter.use, .daemonStart] {
      #expect(options(["SYSTEMD_EXEC_PID": "7"], starter: starter).starter == starter)
    }
    #expect(options(["NOTIFY_SOCKET": "@a"]).starter == .service)
    #expect(options(["SYSTEMD_EXEC_PID": "7"]).starter == .service)
    #expect(options([:]).since == 5)
  }

  /// `lull run` in a unit of somebody else starts a daemon: it must not speak for that unit.
  @Test func `the variables of another service are passed over`() {
    let other = ["SYSTEMD_EXEC_PID": "6", "NOTIFY_SOCKET": "/s", "WATCHDOG_USEC": "5"]
    #expect(options(other).notifySocket == nil)
    #expect(options(other).starter == .hand)
    let used = options(["NOTIFY_SOCKET": "/s", "WATCHDOG_USEC": "5"], starter: .use)
    #expect(used.notifySocket == nil && used.watchdogMicroseconds == nil)
  }

  @Test func `the watchdog's time counts for its process alone`() {
    let variables = ["NOTIFY_SOCKET": "/s", "WATCHDOG_USEC": "5000000"]
    #expect(options(variables).watchdogSeconds == 5)
    #expect(options(variables.merging(["WATCHDOG_PID": "7"]) { $1 }).watchdogSeconds == 5)
    #expect(options(variables.merging(["WATCHDOG_PID": "6"]) { $1 }).watchdogSeconds == nil)
    #expect(options(["NOTIFY_SOCKET": "/s", "WATCHDOG_USEC": "0"]).watchdogSeconds == nil)
  }

  @Test func `the next process is told everything on its command line, and nothing by the environment`()
    throws
  {
    let own = options(["NOTIFY_SOCKET": "@a b", "WATCHDOG_USEC": "5"])
    let read = try DaemonOptions.parse(own.arguments, usage: "").service
    #expect(read == own)
    let entries = ["NOTIFY_SOCKET=/s", "LISTEN_FDS=1", "NOTIFY_SOCKETS=x", "HOME=/"].map { Array($0.utf8) }
    let left = ServiceOptions.passedOn(entries).map { String(decoding: $0, as: UTF8.self) }
    #expect(left == ["NOTIFY_SOCKETS=x", "HOME=/"])
  }
}
