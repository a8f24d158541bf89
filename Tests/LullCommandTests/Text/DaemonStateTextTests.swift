import TestSupport
import Testing

@testable import lull_command

/// `lull daemon status`.
@Suite(.bounded) struct DaemonStateTextTests {
  private static let service =
    "item kind=daemon pid=42 version=0.1.0 clockRate=1 suspender=cgroup restarts=2 guard=41 since=1700000000"
    + " startedBy=service cgroup=/sys/fs/cgroup/lull-1 watchdog=300"

  private func report(_ daemon: String) throws -> DaemonStateReport {
    let lines = [daemon] + Samples.status.dropFirst()
    return DaemonStateReport(try Samples.report(lines), socket: "/run/lull/control")
  }

  @Test func `everything that is known is told`() throws {
    let lines = DaemonStateText.text(try report(Self.service)).split(separator: "\n")
    let rows = lines.map { $0.split(separator: "  ", maxSplits: 1).last?.drop { $0 == " " } ?? "" }
    #expect(rows[0] == "process 42, version 0.1.0, started again 2 times")
    #expect(rows[1] == "process 41, watches")
    #expect(rows[3] == "as a service")
    #expect(rows[4] == "/run/lull/control")
    #expect(rows[5] == "cgroup /sys/fs/cgroup/lull-1")
    // The clock of the samples is not managed.
    #expect(rows[6] == "1, of which 1 asleep")
    #expect(rows[7] == "a sign of life every 2 min 30 s")
  }

  @Test func `a daemon of an earlier version tells less`() throws {
    let text = DaemonStateText.text(try report(Samples.daemon))
    #expect(text.contains("none watches"))
    #expect(!text.contains("watchdog") && !text.contains("since"))
  }

  @Test func `the keys of the JSON are a promise`() throws {
    let text = try JSONOutput.text(report(Samples.daemon), .line)
    let expected =
      #"{"asleep":1,"cgroupRoot":null,"clockRate":1,"guard":null,"locked":false,"pid":42,"programs":1,"#
      + #""quiet":false,"remarks":[],"restarts":0,"#
      + #""since":null,"socket":"/run/lull/control","startedBy":null,"suspender":"cgroup","#
      + #""version":"0.1.0","watchdogSeconds":null}"#
    #expect(text == expected + "\n")
  }
}
