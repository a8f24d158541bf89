import LullSystem
import LullWire
import TestSupport
import Testing

/// Commands that a freeze would harm, or that would harm it.
@Suite(.bounded) struct FreezeRefusedTests {
  /// The program stops by itself after 300 processes.
  @Test func `one that forks without end leaves the daemon responsive`() throws {
    let stage = try Stage()
    let phone = try Baresip.sleeping(stage)
    let fifo = try Fifo(stage)
    let script =
      "exec 3<\(fifo.path); i=0; while [ $i -lt 300 ]; do sleep 1000 & i=$((i+1)); done; echo done; wait"
    let run = try stage.run("storm", ["sh", "-c", script])
    try Sipp(stage, phone, transport: .udp).waitForAnswer()
    #expect(try run.output.line() == "done")
    while true {
      let outcome = try stage.journal.next(of: "storm", among: ["frozen", "freeze-refused"])
      if outcome[.what] == "frozen" || outcome[.cause] == "too-many-processes" { break }
    }
    try Sipp(stage, phone, transport: .tcp).waitForAnswer()
    try stage.lull.order("quit name=storm")
    try stage.journal.wait("exited", of: "storm")
  }

  @Test func `one that dies of a freeze is left awake the next time`() throws {
    let stage = try Stage()
    let command = try [Built.helper("puppet"), "fragile"]
    let first = try stage.run("first", command)
    #expect(try first.output.line() == "ready")
    #expect(try first.end() == .exited(3))
    try stage.journal.wait("trial-failed", of: "first")
    let second = try stage.run("second", command)
    #expect(try second.output.line() == "ready")
    let note = try stage.lull.order("why name=second").all(.note).first
    #expect(note?[.what] == "trial-failed")
    #expect(try stage.lull.state(of: "second") == "background")
    #expect(try second.isAlive)
  }
}
