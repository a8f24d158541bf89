import LullWire
import TestSupport
import Testing

/// "Bounds" of docs/PROTOCOL.md: every number of a request has a least and a greatest value.
@Suite(.bounded) struct BoundTests {
  private static let run = "run modes=voip", session = "session category=playback direction=play"
  private static let format = "rate=48000 channels=2 format=s16"

  /// The request, the field, its least and its greatest value, and the values just outside.
  private static let bounds: [(request: String, field: String, in: [String], out: [String])] = [
    ("register name=a modes=voip", "batchWakes", ["0", "3153600000"], ["3153600000.000000001"]),
    ("keepalive", "timeout", ["0", "3153600000"], ["3153600001"]),
    ("keepalive timeout=600", "lastRun", ["0", "9223372036854775807"], ["-1", "9223372036854775808"]),
    ("keepalive timeout=600", "since", ["0", "9223372036854775807"], ["-1", "9223372036854775808"]),
    ("hold", "fd", ["0", "2147483647"], ["-1", "2147483648"]),
    ("hold fd=3", "tcpKeepalive", ["1", "32767"], ["0", "0.999999999", "32767.1"]),
    ("schedule body=b", "at", ["0", "9223372036"], ["9223372036.1"]),
    ("schedule body=b", "in", ["0", "3153600000"], ["3153600001"]),
    ("schedule body=b in=1", "repeat", ["0", "3153600000"], ["3153600001"]),
    ("log", "last", ["0", "2147483647"], ["-1", "2147483648"]),
    ("ended name=a", "status", ["0", "255"], ["-1", "256"]),
    ("log", "since", ["0", "9223372036"], ["-1", "9223372036.1"]),
    ("command", "arguments", ["1", "2147483647"], ["0", "2147483648"]),
    ("signal name=a", "number", ["1", "64"], ["0", "65"]),
    ("doorbell", "inode", ["0", "18446744073709551615"], ["-1", "18446744073709551616"]),
    (run, "keepAlive", ["0", "3153600000"], ["3153600001"]),
    (run, "batchWakes", ["0", "3153600000"], ["3153600001"]),
    (run, "tcpKeepalive", ["1", "32767"], ["0", "32768"]),
    (run, "udpKeepalive", ["5", "86400"], ["0", "0.000000001", "4.999999999", "86401"]),
    (run, "linger", ["1", "3600"], ["0", "0.000000001", "3601"]),
    (run, "silence", ["0", "3600"], ["-1", "3600.000000001"]),
    (run, "timers", ["5", "3153600000"], ["0", "4.999999999", "3153600001"]),
    (run, "wakeOn", ["1", "65535"], ["0", "65536"]),
    (run, "ignore", ["1", "65535"], ["0", "65536"]),
    ("\(session) channels=2 format=s16 frames=64", "rate", ["8000", "192000"], ["7999", "192001"]),
    ("\(session) rate=48000 format=s16 frames=64", "channels", ["1", "8"], ["0", "9"]),
    ("\(session) \(format)", "frames", ["64", "1440000"], ["63", "1440001"]),
    ("\(session) \(format) frames=64", "lowWater", ["1", "1440000"], ["0", "1440001"]),
    ("\(session) \(format) frames=64", "latency", ["0", "30"], ["30.1"]),
  ]

  @Test(arguments: bounds)
  func `what lies within its bounds is taken, and what lies outside is refused with them`(
    request: String, field: String, in: [String], out: [String]
  ) throws {
    for value in `in` { _ = try Request.parse(Message.parse("\(request) \(field)=\(value)")) }
    for value in out {
      let message = try Message.parse("\(request) \(field)=\(value)")
      let error = #expect(throws: WireError.self) { try Request.parse(message) }
      #expect(error?.code == .badValue)
      #expect(error?.message.hasPrefix("\(field)=\"\(value)\": expected ") == true)
    }
  }

  @Test func `a duration outside its bounds is answered with them`() throws {
    let message = try Message.parse("run modes=voip udpKeepalive=0")
    let error = #expect(throws: WireError.self) { try Request.parse(message) }
    #expect(error?.message == #"udpKeepalive="0": expected seconds from 5 to 86400"#)
  }

  @Test(arguments: [
    "release line", "end-task task", "cancel notification", "answer action=default notification",
    "end-session session", "handover ticket=1 line",
  ])
  func `a number that no line, task, notification or session can have is refused`(field: String) throws {
    for value in ["0", "4294967295"] { _ = try Request.parse(Message.parse("\(field)=\(value)")) }
    for value in ["-1", "4294967296", "18446744073709551615"] {
      let message = try Message.parse("\(field)=\(value)")
      let error = #expect(throws: WireError.self) { try Request.parse(message) }
      #expect(error?.message.hasSuffix("expected a whole number from 0 to 4294967295") == true)
    }
  }

  @Test(arguments: ["did", "done", "ready"])
  func `a ticket is any whole number of 64 bits`(verb: String) throws {
    for value in ["0", "18446744073709551615"] {
      _ = try Request.parse(Message.parse("\(verb) ticket=\(value)"))
    }
    let message = try Message.parse("\(verb) ticket=18446744073709551616")
    #expect(throws: WireError.self) { try Request.parse(message) }
  }
}
