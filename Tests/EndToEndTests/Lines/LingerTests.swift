import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

/// The last close of a descriptor may take long, and it may be the daemon's.
@Suite(.bounded) struct LingerTests {
  @Test func `the daemon answers while a dead program's connection lingers`() throws {
    let stage = try Stage()
    let server = try stage.network.inside { try Server(receiveBuffer: 4096) }
    try stage.run("giver", Python.command(Self.giver, "\(server.port)"))
    let peer = try server.accept()
    try stage.journal.waitForSleep(of: "giver")
    for pid in try stage.pids(of: "giver") { try Process.kill(pid, Signal.kill) }
    try stage.journal.wait("exited", of: "giver")
    // The descriptor lingers for longer than any wait of this test.
    #expect(try stage.lull.order("status").all(.program).isEmpty)
    peer.close()
  }

  /// A program that sends more than its peer takes, and waits for room.
  private static let giver = """
    import select, socket, struct, sys
    connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 60))
    connection.setblocking(False)
    try:
      while True:
        connection.send(b"x" * 65536)
    except BlockingIOError:
      pass
    poll = select.poll()
    poll.register(connection, select.POLLOUT)
    poll.poll()
    """

  @Test func `a connection that runs one command after the other keeps nothing of them`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let control = try lull.connect()
    func runOnce() throws {
      let run = try lull.start(["run", "--name", "once", "--", "cat"])
      try run.output.send("here\n")
      #expect(try run.output.line() == "here")
      try control.order("attach name=once")
      run.output.close()
      try journal.wait("exited", of: "once")
      try run.end()
    }
    // With the first program the daemon begins to watch the machine.
    try runOnce()
    let before = try Kernel.descriptorCount(of: lull.pid)
    for _ in 1...8 { try runOnce() }
    // The closing goes on beside the loop after the command's status is known.
    let deadline = Deadline()
    while try Kernel.descriptorCount(of: lull.pid) > before + 1 {
      try #require(!deadline.isOver, "descriptors of what has ended are left")
      _ = try control.order("hello")
    }
  }
}
