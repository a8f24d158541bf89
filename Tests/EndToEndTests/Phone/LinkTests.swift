import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// `lull open`.
@Suite(.bounded) struct LinkTests {
  @Test func `a link wakes the phone, which calls the one that it names`() throws {
    let (lull, netcat) = (try Lull(), try Netcat())
    let journal = try lull.journal()
    let phone = try lull.startPhone(netcat)
    try journal.waitForSleep(of: "phone")
    let result = try lull.run("open", "tel:+15551234")
    #expect(result.output == "phone: woken for the link\n", "\(result)")
    try journal.wait("woke", of: "phone", cause: "url")
    _ = try phone.output.line { $0 == "Calling" }
    let call = try netcat.line.line { $0.hasPrefix("notify ") }
    #expect(call.hasSuffix(" to=tel:+15551234"), "\(call)")
  }

  @Test func `a phone that has ended is started again, and then makes the call`() throws {
    let (lull, netcat) = (try Lull(), try Netcat())
    let words = [try Built.program("lull-phone"), "127.0.0.1", "\(netcat.port)"]
    let journal = try lull.journal()
    let pid = try lull.runDetached("phone", words, options: ["--scheme", "sip"])
    #expect(try netcat.line.line() == "ping")
    try Process.kill(pid, Signal.kill)
    try journal.wait("exited", of: "phone")
    try netcat.kill()
    let back = try Netcat(port: netcat.port)
    let result = try lull.run("open", "sip:alice@example.org")
    #expect(result.output == "phone: started for the link\n", "\(result)")
    let call = try back.line.line { $0.hasPrefix("notify ") }
    #expect(call.hasSuffix(" to=sip:alice@example.org"), "\(call)")
    #expect(try lull.run("stop", "phone").status == .exited(0))
    try lull.kill()
    try eventually("lulld did not come back") { (try? lull.order("hello")) != nil }
    for name in [[], ["--name", "phone"]] {
      let open = try lull.run(["open", "sip:alice@example.org"] + name)
      #expect(open.errors == "lull: phone was quit: \"lull start phone\" starts it\n")
    }
    #expect(try lull.run("start", "phone").status == .exited(0))
    #expect(try lull.run("stop", "phone").status == .exited(0))
  }

  @Test func `a phone that declared its schemes itself is started when it is installed, unless it was quit`()
    throws
  {
    let (lull, netcat) = (try Lull(), try Netcat())
    let journal = try lull.journal()
    let words = [try Built.program("lull-phone"), "127.0.0.1", "\(netcat.port)"]
    let install = try lull.start(["install", "phone", "--mode", "voip", "--"] + words)
    #expect(try install.end() == .exited(0))
    #expect(try netcat.line.line() == "ping")
    try journal.waitForSleep(of: "phone")
    #expect(try lull.run("purge", "phone").output == "phone was purged\n")
    let why = try lull.run("why", "phone").output.replacing("\n", with: " ")
    #expect(why.contains("a link (sip, tel)"), "\(why)")
    #expect(try lull.run("open", "tel:+15553").output == "phone: started for the link\n")
    let call = try netcat.line.line { $0.hasPrefix("notify ") }
    #expect(call.hasSuffix(" to=tel:+15553"), "\(call)")
    #expect(try lull.run("quit", "--now", "phone").status == .exited(0))
    for name in [[], ["--name", "phone"]] {
      let open = try lull.start(["open", "tel:+1"] + name)
      #expect(try open.errors.untilEnd() == "lull: phone was quit: \"lull start phone\" starts it\n")
      #expect(try open.end() == .exited(1))
    }
  }

  @Test func `a command gets the reason and the link in its environment, and lull start says user`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let script = "echo \"$LULL_LAUNCH_REASON $LULL_LAUNCH_URL.\""
    let command = ["run", "--detach", "--name", "c", "--scheme", "tel", "--", "sh", "-c", script]
    #expect(try lull.start(command).end() == .exited(0))
    try journal.wait("exited", of: "c")
    #expect(try lull.wholeLog("c") == " .\n")
    #expect(try lull.run("open", "tel:1").status == .exited(0))
    try journal.wait("exited", of: "c")
    #expect(try lull.wholeLog("c") == " .\nurl tel:1.\n")
    #expect(try lull.run("open", "tel:2").status == .exited(0))
    try journal.wait("exited", of: "c")
    let start = try lull.run("start", "c")
    #expect(start.status == .exited(0), "\(start)")
    #expect(try lull.wholeLog("c") == " .\nurl tel:1.\nurl tel:2.\nuser .\n")
  }

  @Test(arguments: ["sip:a\nb", "sip:a\u{202E}b", "sip:a b", "sip:", "alice", "1sip:a"])
  func `what is no link is refused in one line`(link: String) throws {
    let result = try Lull().run("open", link)
    #expect(result.status == .exited(64))
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(!result.errors.contains("\u{202E}"))
  }

  @Test func `a scheme that nobody takes is told in one line`() throws {
    let result = try Lull().run("open", "mailto:alice@example.org")
    #expect(result.status == .exited(1))
    #expect(
      result.errors
        == "lull: no program takes mailto: links; \"lull run\" or \"lull install\""
        + " one with \"--scheme mailto\"\n"
    )
  }
}
