import LullSystem
import LullWire
import TestSupport
import Testing

/// Strangers that freeze, thaw and signal a program as well.
@Suite(.bounded) struct StrangerTests {
  @Test func `a sleeper that somebody else thaws is told so, holds no port, and sleeps again`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    let run = try stage.runToSleep("closer", Python.command(Self.closer, "\(port)"))
    let pid = try #require(try stage.pids(of: "closer").first)
    // A plain signal waits for the next wake.
    try Process.kill(pid, Signal.user1)
    try stage.lull.cgroup(of: "closer").thaw()
    #expect(try run.output.line() == "closed")
    try stage.journal.wait("woke", of: "closer", cause: "unfrozen")
    _ = try stage.network.inside { try Server(port: port) }
    try stage.journal.waitForSleep(of: "closer")
    #expect(try stage.lull.item(.wake, of: "closer")[.reason] == "unfrozen")
    #expect(try stage.why("closer").contains("by somebody else, or by a freeze that was taken back"))
  }

  /// Two ports; SIGUSR1 closes the first one.
  private static let closer = """
    import selectors, signal, socket, sys
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    other = socket.create_server(("127.0.0.1", 0))
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    selector.register(other, selectors.EVENT_READ)
    def close(*_):
      selector.unregister(listener)
      listener.close()
      print("closed", flush=True)
    signal.signal(signal.SIGUSR1, close)
    print("ready", flush=True)
    while True:
      selector.select()
    """

  @Test func `the freeze and the thaw of what is around a sleeper are none of its own`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    let around = try Cgroup.open(at: lull.sandbox.cgroup)
    try around.freeze()
    try Kernel.waitUntilFrozen(around)
    try around.thaw()
    #expect(try lull.state(of: "puppet") == "suspended")
    try peer.send("hello\n")
    #expect(try journal.next(of: "puppet", among: ["woke"])["cause"] == "data")
    #expect(try puppet.bytes() == "hello\n")
  }

  @Test func `a running program that somebody else freezes goes on when it is thawed`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let puppet = try Puppet.registered(lull, launch: "foreground")
    let cgroup = try lull.cgroup(of: "puppet")
    try cgroup.freeze()
    try Kernel.waitUntilFrozen(cgroup)
    try lull.order("background name=puppet")
    #expect(["active", "inactive"].contains(try lull.state(of: "puppet")))
    try cgroup.thaw()
    try journal.waitForSleep(of: "puppet")
    #expect(try puppet.child.isAlive)
  }

  @Test(arguments: ["USR1", "10", "SIGCONT", "RTMIN+3", "37", "HUP"])
  func `a signal wakes its program, which takes it and sleeps again`(_ signal: String) throws {
    let stage = try Stage()
    let run = try stage.runToSleep("taker", Python.command(Self.taker))
    let sent = try stage.lull.run("signal", "taker", signal)
    #expect(sent.status == .exited(0), "\(sent.errors)")
    let names = ["USR1": "10", "SIGCONT": "18", "RTMIN+3": "37", "HUP": "1"]
    #expect(try run.output.line() == names[signal] ?? signal)
    guard signal != "HUP" else { return }
    try stage.journal.waitForSleep(of: "taker")
  }

  /// A program that prints the number of each signal that it is sent.
  private static let taker = """
    import select, signal, socket
    listener = socket.create_server(("127.0.0.1", 0))
    poll = select.epoll()
    poll.register(listener, select.EPOLLIN)
    for number in (1, 10, 18, 37):
      signal.signal(number, lambda number, _: print(number, flush=True))
    print("ready", flush=True)
    while True:
      poll.poll()
    """
}
