import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// liblull and python3-lull under the real daemon, by Tests/Support/c-client and its twin. Numbers behind
/// `event message` and `event wake` are those of lull_types.h.
@Suite(.bounded) struct CClientTests {
  private static let languages: [CPrograms.Build] = [.plain, .python]

  /// A program in the background that has a connection, and sleeps.
  private struct Sleeper {
    let client: CClient
    let descriptor: Int
    let server: Server
    let peer: Channel

    init(_ lull: Lull, _ journal: Journal, kind: CPrograms.Build = .plain) throws {
      client = try CClient(kind, environment: lull.environment)
      server = try Server()
      try client.open("p 1 0 sip")
      descriptor = try client.order("dial \(server.port)").code
      peer = try server.accept()
      try client.order("hold \(descriptor) server 1 60")
      try client.order("state \(descriptor) dialogue")
      try client.order("end 1")
      try journal.waitForSleep(of: "p")
    }
  }

  @Test(arguments: [CPrograms.Build.plain, .sanitized, .python])
  func `it sleeps, and its line wakes it with the reason`(kind: CPrograms.Build) throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let program = try Sleeper(lull, journal, kind: kind)
    for _ in 1...3 {
      #expect(try lull.cgroup(of: "p").state().frozen)
      try program.peer.send("hello\n")
      try program.client.wait(for: "bytes \(program.descriptor) hello")
      try program.client.wait(for: "event wake 1 \(program.descriptor)")
      try journal.waitForSleep(of: "p")
    }
    let line = try #require(try lull.order("lines name=p").all(.line).first)
    #expect(line[.line] == "tcp" && line[.offload] == "line")
    // lulld answers by itself, which it was allowed to.
    try program.peer.send("ping\n")
    #expect(try program.peer.line() == "pong")
    #expect(try lull.order("lines name=p").all(.line).first?[.answered] == "1")
    try lull.order("wake name=p")
    try program.client.wait(for: "event wake 8 -1")
    try journal.waitForSleep(of: "p")
    try program.client.say("exit")
    try lull.order("wake name=p")
    #expect(try program.client.child.end() == .exited(0), "\(program.client.child.errors.unreadText)")
    #expect(try lull.order("status").all(.program).isEmpty)
  }

  @Test(.tags(.faults), arguments: languages)
  func `it goes on with the next lulld, which knows what the last one knew`(language: CPrograms.Build) throws
  {
    let lull = try Lull()
    let program = try Sleeper(lull, try lull.journal(), kind: language)
    try lull.kill()
    try program.client.wait(for: "event lost")
    try program.client.wait(for: "event restored")
    let journal = try lull.journal()
    try journal.waitUntilAsleep("p", lull)
    try program.peer.send("hello\n")
    try program.client.wait(for: "event wake 1 \(program.descriptor)")
    try journal.waitForSleep(of: "p")
  }

  @Test(arguments: languages)
  func `its tasks keep it awake, and are told when their time is over`(language: CPrograms.Build) throws {
    let lull = try Lull()
    let client = try CClient(language, environment: lull.environment)
    try client.open("p 1 2", task: "upload")
    let why = try lull.order("why name=p")
    #expect(why.all(.lease).contains { $0[.task] == "upload" }, "\(why)")
    func remaining() throws -> [Int] {
      try client.order("remaining").text.split(separator: " ").compactMap { Int($0) }
    }
    let left = try remaining()
    #expect(left.count == 2 && left.allSatisfy { (170...180).contains($0) }, "\(left)")
    #expect(try client.order("suspension").code == 1)
    let journal = try lull.journal()
    for word in ["manual", "handling", "end 1"] { try client.order(word) }
    let awake = try remaining()
    #expect(awake.count == 2 && (1...10).contains(awake[0]) && awake[1] > 10, "\(awake)")
    for word in ["auto", "done"] { try client.order(word) }
    try journal.waitUntilAsleep("p", lull)
  }

  @Test(arguments: languages)
  func `notifications are answered, and wait for their time`(language: CPrograms.Build) throws {
    let lull = try Lull()
    let client = try CClient(language, environment: lull.environment)
    try client.open("p 1 0")
    let id = try client.order("notify Hello Answer").code
    #expect(try lull.order("notifications").all(.notification).first?[.body] == "Hello")
    try lull.order("answer notification=\(id) action=Answer")
    try client.wait(for: "event action \(id) Answer")
    let waiting = try client.order("notify Later Answer 600 day").code
    let list = try client.order("scheduled")
    #expect(list.code == 1 && list.items.first?.hasPrefix("\(waiting) Later at=") == true, "\(list)")
    #expect(try client.order("cancel \(waiting)").code == 1)
    #expect(try client.order("scheduled all").code == 0)
  }

  @Test(arguments: languages)
  func `a link wakes it, and comes behind the wake`(language: CPrograms.Build) throws {
    let lull = try Lull()
    let program = try Sleeper(lull, try lull.journal(), kind: language)
    try lull.order("open url=sip:alice@example.org")
    try program.client.wait(for: "event wake 17 -1")
    try program.client.wait(for: "event open sip:alice@example.org")
  }

  @Test(arguments: languages)
  func `a push wakes it, and it sleeps when it has told the result`(language: CPrograms.Build) throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let client = try CClient(language, environment: lull.environment)
    try client.open("p 16 0")
    try client.order("end 1")
    try journal.waitForSleep(of: "p")
    let command = try Built.program("lull")
    let pushes = [
      ("printf 'it rains' | $0 push p --title 'two words'", "two words: it rains"),
      ("$0 push p </dev/null", "-: "),
    ]
    for (script, push) in pushes {
      let child = try ConnectedChild(["sh", "-c", script, command], environment: lull.environment)
      #expect(try child.end() == .exited(0), "\(child.errors.unreadText)")
      try client.wait(for: "event wake 22 -1")
      #expect(try client.wait(for: "event push") == "event push \(push)")
      try journal.wait("push-ended", of: "p", cause: "new-data")
      try journal.waitForSleep(of: "p")
    }
  }

  @Test(arguments: languages)
  func `its own wake and its keep-alive come in its sleep`(language: CPrograms.Build) throws {
    let lull = try Lull(clockRate: 60)
    let journal = try lull.journal()
    let client = try CClient(language, environment: lull.environment)
    try client.open("p 1 0")
    let descriptor = try client.order("pair").code
    for word in ["hold \(descriptor)", "keepalive 600", "wake-in 15", "end 1"] { try client.order(word) }
    try client.wait(for: "event wake 13 -1")
    try journal.waitForSleep(of: "p")
    try client.wait(for: "event wake 5 -1")
    try client.wait(for: "event keepalive")
    try journal.waitForSleep(of: "p")
  }

  @Test(arguments: languages)
  func `it comes to the foreground and goes back, and is asked to end`(language: CPrograms.Build) throws {
    let lull = try Lull()
    let client = try CClient(language, environment: lull.environment)
    try client.order("open p 1 1")
    for message in 1...3 { try client.wait(for: "event message \(message)") }
    #expect(try client.order("launch").text == "0 - - state=2")
    for word in ["manual", "background"] { try client.order(word) }
    for message in 4...5 { try client.wait(for: "event message \(message)") }
    try client.order("foreground")
    for message in [6, 3] { try client.wait(for: "event message \(message)") }
    try lull.connect().send("quit name=p\n")
    try client.wait(for: "event message 7")
    #expect(try client.child.end() == .exited(0))
  }

  @Test(arguments: languages)
  func `the first program starts lulld`(language: CPrograms.Build) throws {
    let sandbox = try Sandbox()
    let client = try CClient(
      language,
      environment: [
        "LULL_RUNTIME_DIR=\(sandbox.directory)/run", "LULL_CGROUP_ROOT=\(sandbox.cgroup)",
        "LULL_GUARD=\(Built.program("lull-guard"))", "XDG_STATE_HOME=\(sandbox.directory)/state",
        "XDG_CONFIG_HOME=\(sandbox.directory)/config", "DBUS_SESSION_BUS_ADDRESS=",
      ])
    try client.order("open p 1 0")
    let socket = "\(sandbox.directory)/run/control"
    let daemon = try #require(try Control(path: socket).order("status").all(.daemon).first)
    #expect(daemon[.startedBy] == "use")
    try Control(path: socket).order("stop-daemon")
    try eventually("lulld goes on") { !UnixSocket.isListening(path: socket) }
  }
}
