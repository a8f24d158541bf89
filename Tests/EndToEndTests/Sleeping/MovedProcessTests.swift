import LullSystem
import LullWire
import TestSupport
import Testing

/// Processes that are moved out of their program's cgroup.
@Suite(.bounded) struct MovedProcessTests {
  @Test func `a process in a cgroup that the program has made is looked after as well`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    let script = "\(Self.forked)\n" + Python.datagrams
    try stage.runToSleep("tree", Python.command(script, "\(port)"))
    let cgroup = try stage.lull.cgroup(of: "tree")
    let inner = try Cgroup.create(at: "\(cgroup.path)/inner")
    _ = try stage.lull.order("wake name=tree")
    let child = try #require(try stage.pids(of: "tree").max())
    try inner.move(child)
    try stage.journal.waitForSleep(of: "tree")
    let peer = try stage.network.datagrams(to: port)
    try peer.send("hello")
    try stage.journal.wait("woke", of: "tree", cause: "data")
    #expect(try stage.pids(of: "tree").contains(child))
  }

  /// The parent has a socket of its own and waits; the child goes on with what follows.
  private static let forked = """
    import os, signal, socket
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.bind(("127.0.0.1", 0))
    if os.fork():
      signal.pause()
    own.close()
    """

  @Test func `the end of a child in another cgroup wakes its parent`() throws {
    let stage = try Stage(clockRate: 4)
    let fifo = try Fifo(stage)
    let script = "exec 3<\(fifo.path); sleep 1000 & echo $!; wait $!; echo gone $?; sleep 1000"
    let run = try stage.run("parent", ["sh", "-c", script])
    let child = try #require(Int32(run.output.line()))
    let aside = try Cgroup.create(at: "\(stage.lull.sandbox.cgroup)/aside")
    try aside.move(child)
    try stage.journal.waitForSleep(of: "parent")
    try Process.kill(child, Signal.kill)
    try stage.journal.wait("woke", of: "parent", cause: "child")
    #expect(try run.output.line() == "gone 137")
  }
}
