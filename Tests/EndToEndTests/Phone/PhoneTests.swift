import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// The reference softphone backend with netcat as its server.
@Suite(.bounded) struct PhoneTests {
  @Test func `asleep it answers pings, several in a segment and one in several`() throws {
    let (lull, netcat) = (try Lull(), try Netcat())
    let journal = try lull.journal()
    let phone = try lull.startPhone(netcat)
    #expect(try phone.output.line() == "Connection Opened")
    #expect(try netcat.line.line() == "ping")
    try journal.waitForSleep(of: "phone")
    #expect(try lull.cgroup(of: "phone").state().frozen)
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
    try journal.waitForSleep(of: "phone")
    try netcat.line.send("ping\nping\n")
    #expect(try [netcat.line.line(), netcat.line.line()] == ["pong", "pong"])
    try journal.waitForSleep(of: "phone")
    try netcat.line.send("pi")
    try journal.wait("woke", of: "phone", cause: "data")
    try netcat.line.send("ng\n")
    #expect(try netcat.line.line() == "pong")
    try journal.waitForSleep(of: "phone")
  }

  @Test func `notify raises a notification, whose answer reaches the phone`() throws {
    let (lull, netcat) = (try Lull(), try Netcat())
    let journal = try lull.journal()
    let phone = try lull.startPhone(netcat)
    try journal.waitForSleep(of: "phone")
    try netcat.line.send("notify\n")
    _ = try phone.output.line { $0 == "Notification: New VOIP call (Answer)" }
    try journal.waitForSleep(of: "phone")
    let shown = try lull.run("notifications").output
    #expect(shown.contains("New VOIP call") && shown.contains("Answer") && shown.contains("phone"))
    #expect(try lull.run("answer", "1", "Answer").status == .exited(0))
    _ = try phone.output.line { $0 == "Answered" }
    #expect(try lull.order("notifications").items.isEmpty)
    #expect(try lull.run("answer", "1", "Answer").status == .exited(1))
  }

  @Test func `an unknown line is logged and gets no answer`() throws {
    let (lull, netcat) = (try Lull(), try Netcat())
    let journal = try lull.journal()
    let phone = try lull.startPhone(netcat)
    #expect(try netcat.line.line() == "ping")
    try journal.waitForSleep(of: "phone")
    try netcat.line.send("how are you?\n")
    _ = try phone.output.line { $0 == "Received: how are you?" }
    try journal.waitForSleep(of: "phone")
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
  }

  @Test func `with --offload the daemon answers and the phone sleeps on`() throws {
    let (lull, netcat) = (try Lull(), try Netcat())
    let journal = try lull.journal()
    let phone = try lull.startPhone(netcat, "--offload")
    #expect(try netcat.line.line() == "ping")
    try journal.waitForSleep(of: "phone")
    for _ in 1...10 {
      try netcat.line.send("ping\n")
      #expect(try netcat.line.line() == "pong")
    }
    #expect(try lull.cgroup(of: "phone").state().frozen)
    #expect(try lull.item(.line, of: "phone")[.answered] == "10")
    #expect(try lull.field(.wakes, of: "phone") == "0")
    #expect(try phone.isAlive)
  }

  @Test func `it connects again when its server has gone and is back`() throws {
    let (lull, netcat) = (try Lull(), try Netcat())
    let journal = try lull.journal()
    let phone = try lull.startPhone(netcat)
    // Netcat that dies with unread bytes resets the connection.
    #expect(try netcat.line.line() == "ping")
    try journal.waitForSleep(of: "phone")
    try netcat.kill()
    _ = try phone.output.line { $0 == "Connection Closed" }
    let back = try Netcat(port: netcat.port)
    _ = try phone.output.line { $0 == "Connection Opened" }
    #expect(try back.line.line() == "ping")
    try journal.waitForSleep(of: "phone")
    try back.line.send("ping\n")
    #expect(try back.line.line() == "pong")
  }
}
