import LullModel
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct AdoptedProcessTests {
  @Test(arguments: [
    ("30s", 30_000), ("1min 30s", 90_000), ("500ms", 500), ("1h 1.5s", 3_601_500), ("0", nil),
    ("infinity", nil),
    ("", nil), ("3 parsecs", nil),
  ])
  func `a time of systemd is read`(text: String, milliseconds: Int64?) {
    #expect(AdoptedProcess.span(text) == milliseconds.map { Interval.milliseconds($0) })
  }

  @Test(arguments: [(9.9, nil), (10, 5), (20, 5), (60, 15)])
  func `a wake that something else puts off is in time for the watchdog`(seconds: Double, floor: Double?) {
    let watchdog = Interval(nanoseconds: Int64(seconds * 1e9))
    #expect(AdoptedProcess.floor(for: watchdog)?.seconds == floor)
  }

  @Test(arguments: [
    ("redis-server", "redis-server"), ("redis.service", "redis"), ("dbus-org.bluez", "dbus-org.bluez"),
    ("dbus-org.bluez.service", "dbus-org.bluez"), ("session-1.scope", "session-1"),
    ("getty@tty1.service", "getty@tty1"),
  ])
  func `the name of a unit is that without its type`(unit: String, short: String) {
    #expect(AdoptedProcess.short(unit) == short)
  }

  @Test func `the state of an OCI runtime is read`() {
    let text = """
      {
        "ociVersion": "1.0.2-dev",
        "id": "web",
        "pid": 4711,
        "status": "running"
      }
      """
    #expect(AdoptedProcess.state(text) == ["4711", "running"])
    #expect(AdoptedProcess.state(#"{"status":"stopped","pid":0}"#) == ["0", "stopped"])
    #expect(AdoptedProcess.state("no container") == [])
  }
}
