import LullSystem
import LullWire
import TestSupport
import Testing

/// The programs of `Examples`, each in its own loop.
@Suite(.bounded) struct ExampleTests {
  @Test(arguments: ["softphone-example", "main-actor-example", "async-example"])
  func `a softphone of the examples answers its server from its sleep`(example: String) throws {
    let stage = try Stage()
    let server = try stage.network.inside { try Server(port: 10_000) }
    let program = try stage.start(example)
    let line = try server.accept()
    for _ in 1...3 {
      try stage.journal.waitForSleep(of: "softphone")
      #expect(try stage.lull.cgroup(of: "softphone").state().frozen)
      try line.send("ping\n")
      #expect(try line.line() == "pong")
    }
    try stage.journal.waitForSleep(of: "softphone")
    #expect(try program.isAlive)
  }

  /// The examples that were built as a client's package are in the folder `LULL_EXAMPLES`.
  private static let clients = Identity.environment("LULL_EXAMPLES")

  @Test(.enabled(if: clients != nil))
  func `a thread of SwiftNIO answers for a program that sleeps`() throws {
    let stage = try Stage()
    let server = try stage.network.inside { try Server(port: 10_000) }
    let program = try ConnectedChild(
      stage.network.prefix + ["\(Self.clients ?? "")/nio"], environment: stage.lull.environment)
    let line = try server.accept()
    for (question, answer) in [("ping\n", "pong"), ("ping\n", "pong"), ("reason\n", "data")] {
      try stage.journal.waitForSleep(of: "softphone")
      try line.send(question)
      #expect(try line.line() == answer)
    }
    try stage.journal.waitForSleep(of: "softphone")
    #expect(try program.isAlive)
  }

  @Test func `a word of the server makes the softphone notify its user`() throws {
    let stage = try Stage()
    let server = try stage.network.inside { try Server(port: 10_000) }
    let program = try stage.start("softphone-example")
    let line = try server.accept()
    try stage.journal.waitForSleep(of: "softphone")
    try line.send("notify\n")
    #expect(try line.line() == "pong")
    #expect(try stage.lull.run("notifications").output.contains("New VOIP call"))
    #expect(try program.isAlive)
  }

  @Test func `an example on the main actor is told of its wakes`() throws {
    let stage = try Stage()
    let server = try stage.network.inside { try Server(port: 10_000) }
    let program = try stage.start("main-actor-example")
    let line = try server.accept()
    try stage.journal.waitForSleep(of: "softphone")
    try line.send("ping\n")
    #expect(try line.line() == "pong")
    try stage.journal.waitForSleep(of: "softphone")
    try line.send("wakes\n")
    #expect(try line.line() == "2")
    #expect(try program.isAlive)
  }

  @Test func `an example finds in its next life what it has kept in its own folder`() throws {
    let stage = try Stage()
    let server = try stage.network.inside { try Server(port: 10_000) }
    for (before, after) in [("0", "2"), ("3", "5")] {
      let program = try stage.start("async-example")
      let line = try server.accept()
      try stage.journal.waitForSleep(of: "softphone")
      for (question, answer) in [("wakes\n", before), ("ping\n", "pong"), ("wakes\n", after)] {
        try line.send(question)
        #expect(try line.line() == answer)
        try stage.journal.waitForSleep(of: "softphone")
      }
      try program.signal(Signal.kill)
      try program.end()
      try stage.journal.wait("exited", of: "softphone")
    }
    let journal = try #require(try stage.lull.journalCheck()[.detail])
    let state = journal.split(separator: "/").dropLast().joined(separator: "/")
    let folder = "/\(state)/programs-state/softphone"
    #expect(try Kernel.text("\(folder)/answers") == "6")
    #expect(try Files.owner(ofDirectory: folder).mode == 0o700)
  }

  @Test func `an example with a loop of its own echoes datagrams from its sleep`() throws {
    let stage = try Stage()
    let program = try stage.start("own-loop-example")
    try stage.journal.waitForSleep(of: "echo")
    let line = try stage.network.datagrams(to: 7000)
    for text in ["one\n", "two\n", "three\n"] {
      #expect(try stage.lull.cgroup(of: "echo").state().frozen)
      try line.send(text)
      #expect(try line.line() + "\n" == text)
      try stage.journal.waitForSleep(of: "echo")
    }
    #expect(try stage.lull.field(.wakes, of: "echo") == "3")
    #expect(try program.isAlive)
  }
}

extension Stage {
  /// Starts a program of `Examples` in the network of the stage.
  fileprivate func start(_ example: String) throws -> ConnectedChild {
    try ConnectedChild(network.prefix + [Built.helper(example)], environment: lull.environment)
  }
}
