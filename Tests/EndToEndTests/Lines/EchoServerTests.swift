import LullSystem
import LullWire
import TestSupport
import Testing

/// Servers that were never written for Lull.
@Suite(.bounded) struct EchoServerTests {
  private let stage: Stage

  init() throws { stage = try Stage() }

  @Test func `several processes and threads: a connection, its bytes and its end each wake them`() throws {
    let port = try stage.network.freePort()
    try stage.runToSleep("echo", Python.command(Python.echo, "127.0.0.1", "\(port)"))
    let peer = try stage.network.connect(to: port)
    try stage.journal.wait("woke", of: "echo", cause: "accept")
    for round in 1...5 {
      try stage.journal.waitForSleep(of: "echo")
      let own = try Socket.localAddress(peer.box.raw).description
      let line = try stage.line(of: "echo", local: "127.0.0.1:\(port)", peer: own)
      try peer.send("\(round)\n")
      #expect(try peer.line() == "\(round)")
      #expect(try stage.journal.wait("woke", of: "echo", cause: "data")[.line] == line)
    }
    try stage.journal.waitForSleep(of: "echo")
    #expect(try stage.pids(of: "echo").count == 3)
    peer.close()
    try stage.journal.wait("woke", of: "echo", cause: "closed")
    try stage.journal.waitForSleep(of: "echo")
    #expect(try stage.lull.order("lines name=echo").all(.line).allSatisfy { $0[.line] != "tcp" })
  }

  @Test func `IPv6`() throws {
    let port = try stage.network.freePort()
    try stage.runToSleep("echo", Python.command(Python.echo, "::1", "\(port)"))
    let peer = try stage.network.connect(to: port, version6: true)
    try stage.journal.wait("woke", of: "echo", cause: "accept")
    try stage.journal.waitForSleep(of: "echo")
    let line = try stage.line(
      of: "echo", local: "[::1]:\(port)", peer: Socket.localAddress(peer.box.raw).description)
    try peer.send("hello\n")
    #expect(try peer.line() == "hello")
    #expect(try stage.journal.wait("woke", of: "echo", cause: "data")[.line] == line)
  }

  @Test func `UDP`() throws {
    let port = try stage.network.freePort()
    try stage.runToSleep("echo", Python.command(Python.datagrams, "\(port)"))
    let peer = try stage.network.datagrams(to: port)
    for round in 1...3 {
      let line = try stage.line(of: "echo", local: "127.0.0.1:\(port)")
      try peer.send("\(round)\n")
      #expect(try peer.line() == "\(round)")
      #expect(try stage.journal.wait("woke", of: "echo", cause: "data")[.line] == line)
      try stage.journal.waitForSleep(of: "echo")
    }
  }

  @Test func `netcat serves one connection after the other`() throws {
    try Executables.requireNetcat()
    let port = try stage.network.freePort()
    let run = try stage.run("nc", ["nc", "-lk", "127.0.0.1", "\(port)"])
    for round in 1...2 {
      try stage.journal.waitForSleep(of: "nc")
      let peer = try stage.network.connect(to: port)
      try peer.send("\(round)\n")
      #expect(try run.output.line() == "\(round)")
      try stage.journal.waitForSleep(of: "nc")
      peer.close()
    }
  }

  @Test func `a Unix socket`() throws {
    try Executables.requireNetcat()
    let path = "\(stage.lull.sandbox.directory)/socket"
    let run = try stage.run("nc", ["nc", "-lU", path])
    try stage.journal.waitForSleep(of: "nc")
    let peer = Channel(DescriptorBox(try UnixSocket.connect(path: path)), name: "the Unix socket")
    try stage.journal.wait("woke", of: "nc", cause: "accept")
    try stage.journal.waitForSleep(of: "nc")
    try peer.send("hello\n")
    #expect(try run.output.line() == "hello")
    try stage.journal.wait("woke", of: "nc", cause: "data")
  }

  /// `--ignore` names the other port, `--wake-on` its own.
  @Test(arguments: ["--ignore", "--wake-on"])
  func `ports are chosen`(option: String) throws {
    let (port, other) = (try stage.network.freePort(), try stage.network.freePort())
    let named = option == "--ignore" ? other : port
    let command = try Python.command(Python.datagrams, "\(port)", "\(other)")
    try stage.runToSleep("echo", command, options: [option, "\(named)"])
    let quiet = try stage.network.datagrams(to: other)
    try quiet.send("quiet\n")
    let loud = try stage.network.datagrams(to: port)
    let line = try stage.line(of: "echo", local: "127.0.0.1:\(port)")
    try loud.send("loud\n")
    #expect(try loud.line() == "loud")
    #expect(try quiet.line() == "quiet")
    #expect(try stage.journal.wait("woke", of: "echo")[.line] == line)
  }
}
