import LullSystem
import LullWire
import TestSupport
import Testing

/// Bad input at the control socket, each with one clear line and nothing lost.
@Suite(.tags(.badInput), .bounded) struct BadInputTests {
  @Test(
    arguments: [
      ("wale", #"error code=unknown-verb message="unknown verb \"wale\": did you mean \"wake\"?""#),
      (
        "wake name",
        #"error code=no-such-program message="no program \"true\"; "#
          + #"see `lull status`, and `lull list` for what is installed""#
      ),
      ("wake", #"error code=missing-field message="name is missing""#),
      (
        "keepalive timeout=600",
        #"error code=not-registered message="register first: this is a program's request""#
      ),
      (
        "answer notification=9 action=default",
        #"error code=no-such-notification message="no notification 9; `lull notifications` lists them""#
      ),
    ])
  func `a request that cannot be granted is answered by one line`(request: String, answer: String) throws {
    let lull = try Lull()
    let control = try lull.connect()
    try control.send(request + "\n")
    #expect(try control.line() == answer)
    // The connection serves on.
    try control.order("hello")
  }

  @Test func `netcat is told what is wrong with its line`() throws {
    try Executables.requireNetcat()
    let lull = try Lull()
    let netcat = try ConnectedChild(["nc", "-U", lull.socket])
    try netcat.output.send("dance now\n")
    #expect(
      try netcat.output.line().hasPrefix("error code=unknown-verb message=\"unknown verb \\\"dance\\\""))
    try netcat.output.send("hello\n")
    #expect(try netcat.output.line().hasPrefix("ok pid="))
  }

  @Test func `a line of more than 4096 bytes is refused and the connection closed`() throws {
    let lull = try Lull()
    let control = try lull.connect()
    try control.send("status name=" + String(repeating: "x", count: 5000) + "\n")
    #expect(try control.untilEnd() == "error code=too-long message=\"a line has at most 4096 bytes\"\n")
    try lull.connect().order("hello")
  }

  @Test func `bytes that are not UTF-8 are refused`() throws {
    let lull = try Lull()
    let control = try lull.connect()
    try control.send(Array("status name=".utf8) + [0xFF, 0xFE, 0x0A])
    #expect(try control.line() == "error code=not-utf8 message=\"the line is not UTF-8\"")
    try control.order("hello")
  }

  @Test func `a client with half a line hangs for itself alone`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let hanging = try lull.connect()
    try hanging.send("sta")
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    try lull.connect().order("status")
    try hanging.send("tus\n")
    #expect(try hanging.answer().last.answer == .ok)
  }

  @Test func `a keep-alive below 600 s is refused and the last one stays`() throws {
    let lull = try Lull()
    let puppet = try Puppet.registered(lull, launch: "foreground")
    try puppet.ask("keepalive timeout=700")
    try puppet.expect(
      "keepalive timeout=599", code: "keepalive-too-short",
      words: "a keep-alive of 599 s is too short; the shortest is 600 s")
    #expect(try lull.item(.keepalive, of: "puppet")[.timeoutSeconds] == "700")
  }

  @Test func `a regular file cannot be held`() throws {
    let lull = try Lull()
    let puppet = try Puppet.registered(lull, launch: "foreground")
    try puppet.order("file path=/etc/passwd")
    let descriptor = try Int32(puppet.told("opened").integer(.fd))
    let reply = try puppet.hand(descriptor, "hold fd=\(descriptor)")
    #expect(reply[.code] == "not-pollable")
    #expect(reply[.message] == "descriptor \(descriptor) cannot be watched: Operation not permitted")
  }

  @Test func `a second program of the same name is refused and the first stays`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (first, peer) = try Puppet.sleeping(lull, journal)
    let second = try Puppet(lull, name: "second")
    try second.connect()
    try second.expect("register name=puppet modes=voip", code: "name-in-use", words: "puppet")
    try peer.send("hello")
    #expect(try first.bytes() == "hello")
  }
}

extension Puppet {
  /// A request that must be refused, with a code and words of the message.
  func expect(_ request: String, code: String, words: String) throws {
    let reply = try reply(to: request)
    #expect(reply[.code] == code)
    #expect(reply[.message]?.contains(words) == true, "\(reply)")
  }
}
