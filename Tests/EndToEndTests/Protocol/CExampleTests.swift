import LullSystem
import LullWire
import TestSupport
import Testing

/// The programs of Examples/c, built with what `Tools/liblull` installs, and the softphone in Python.
@Suite(.bounded) struct CExampleTests {
  @Test(arguments: ["echo-glib", "echo-uv"])
  func `an echo server in another loop answers from its sleep`(example: String) throws {
    let stage = try Stage()
    let program = try ConnectedChild(
      stage.network.prefix + ["\(CPrograms.folder())/\(example)", "7000"], environment: stage.lull.environment
    )
    _ = try program.output.line { $0 == "ready" }
    try stage.journal.waitForSleep(of: "echo")
    let line = try stage.network.datagrams(to: 7000)
    for text in ["one\n", "two\n", "three\n"] {
      #expect(try stage.lull.cgroup(of: "echo").state().frozen)
      try line.send(text)
      #expect(try line.line() + "\n" == text)
      _ = try program.output.line { $0 == "woken, reason 1" }
      try stage.journal.waitForSleep(of: "echo")
    }
    #expect(try stage.lull.field(.wakes, of: "echo") == "3")
    #expect(try program.isAlive)
  }

  @Test(arguments: [CPrograms.Build.plain, .python])
  func `a softphone keeps its connection over a restart and a crash, with its state`(
    language: CPrograms.Build
  ) throws {
    let (lull, netcat) = (try Lull(environment: [Python.library]), try Netcat())
    let script = "\(ProtocolPage.root)/Examples/python/softphone.py"
    let softphone =
      try language == .python
      ? ["/usr/bin/python3", "-B", script] : ["\(CPrograms.folder())/softphone"]
    let journal = try lull.journal()
    func exchange(_ question: String, _ answer: String) throws {
      try netcat.line.send("\(question)\n")
      #expect(try netcat.line.line() == answer)
    }
    _ = try lull.runDetached("softphone", softphone + ["\(netcat.port)"])
    try exchange("ping", "pong")
    try journal.waitUntilAsleep("softphone", lull)
    let restart = try lull.run("restart", "--keep-lines", "softphone")
    #expect(restart.status == .exited(0), "\(restart.errors)")
    try exchange("ping", "pong")
    try journal.waitUntilAsleep("softphone", lull)
    try Process.kill(try #require(Int32(lull.field(.pids, of: "softphone"))), Signal.kill)
    try journal.wait("lines-kept", of: "softphone")
    try exchange("ping", "pong")
    try journal.wait("launched", of: "softphone", cause: "data")
    try exchange("pings", "3")
    try exchange("notify\nping", "pong")
    #expect(try lull.order("notifications").all(.notification).first?[.body] == "New VOIP call")
  }
}
