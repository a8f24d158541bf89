import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// Notifications on a real server of `org.freedesktop.Notifications`.
@Suite(.bounded) struct DesktopTests {
  /// A click is the program's own action.
  private static let configuration = """
    [phone]
        appname = "phone"
        action_name = "Answer"

    """

  @Test func `a call is shown by dunst, and a click answers it while the phone sleeps`() throws {
    let desktop = try Desktop(configuration: Self.configuration)
    let (lull, netcat) = (try Lull(environment: desktop.environment), try Netcat())
    let journal = try lull.journal()
    let phone = try lull.startPhone(netcat)
    try journal.waitForSleep(of: "phone")
    try netcat.line.send("notify\n")
    try desktop.wait(forShown: 1)
    try journal.waitForSleep(of: "phone")
    try desktop.control("action", "0")
    _ = try phone.output.line { $0 == "Answered" }
    #expect(try lull.run("log").output.contains("notification-answered (Answer)"))
    try desktop.wait(forShown: 0)
  }

  @Test func `what the user closes is dismissed, and what is answered elsewhere disappears`() throws {
    let desktop = try Desktop(configuration: "")
    let (lull, netcat) = (try Lull(environment: desktop.environment), try Netcat())
    let journal = try lull.journal()
    let phone = try lull.startPhone(netcat)
    try journal.waitForSleep(of: "phone")
    try netcat.line.send("notify\n")
    try desktop.wait(forShown: 1)
    try desktop.control("close")
    try eventually("not dismissed") {
      try lull.run("log").output.contains("notification-answered (dismiss)")
    }
    try journal.waitForSleep(of: "phone")
    try netcat.line.send("notify\n")
    try desktop.wait(forShown: 1)
    let shown = try lull.order("notifications").all(.notification)
    let number = try #require(shown.last?[.notification])
    #expect(try lull.run("answer", number, "Answer").status == .exited(0))
    _ = try phone.output.line { $0 == "Answered" }
    try desktop.wait(forShown: 0)
  }

  @Test func `a click that reaches no program is told in the log, and the notification stays`() throws {
    let desktop = try Desktop(configuration: Self.configuration.replacing("phone", with: "puppet"))
    let lull = try Lull(environment: desktop.environment)
    let journal = try lull.journal()
    let puppet = try Puppet.resumed(lull, setUp: { try $0.ask("begin-task name=test") })
    try puppet.ask("present body=b action=Answer")
    try desktop.wait(forShown: 1)
    try puppet.child.signal(Signal.kill)
    try journal.wait("exited", of: "puppet")
    try desktop.control("action", "0")
    let entry = try journal.wait("answer-lost", of: "puppet")
    #expect(entry[.detail] == "ended-for-good name=puppet number=1", "\(entry)")
    try desktop.wait(forShown: 0)
    #expect(try lull.order("notifications").all(.notification).count == 1)
    #expect(try lull.run("answer", "1", "dismiss").status == .exited(0))
  }
}
