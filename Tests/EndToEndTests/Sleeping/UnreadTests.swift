import LullSystem
import LullWire
import TestSupport
import Testing

/// What nobody reads keeps a program awake, and costs the machine little meanwhile.
@Suite(.bounded) struct UnreadTests {
  @Test func `bytes that a program leaves there when it is done are no freeze and thaw in a loop`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let puppet = try Puppet.awake(lull)
    let (descriptor, peer) = try puppet.dial(Server())
    try puppet.hold(descriptor)
    try puppet.order("leave fd=\(descriptor)")
    _ = try puppet.told("left")
    try peer.send("hello")
    try puppet.rest()
    let first = try journal.wait("freeze-taken-back", of: "puppet", cause: "data")
    // Nine more are told in one entry: their waits of 2 ms, 4 ms and so on add up to a second.
    let tenth = try journal.wait("freeze-taken-back", of: "puppet", cause: "data")
    #expect(try tenth.unsigned(.count) == 9)
    #expect(try tenth.number(.at) - first.number(.at) >= 1)
    #expect(try lull.item(.sleep, of: "puppet")[.refused] == "unread")
  }

  @Test func `a socket pair whose other end the program itself has closed keeps it awake no longer`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    try stage.runToSleep("keeper", Python.command(Self.keeper, "\(port)"))
    let peer = try stage.network.connect(to: port)
    #expect(try peer.line() == "hello")
    try stage.journal.waitForSleep(of: "keeper")
  }

  /// A server with a thread that naps for long, and half a socket pair, as a JVM has them.
  private static let keeper = """
    import socket, sys, threading, time
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    kept, other = socket.socketpair()
    other.close()
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    print("ready", flush=True)
    while True:
      connection, _ = listener.accept()
      connection.sendall(b"hello\\n")
    """
}
