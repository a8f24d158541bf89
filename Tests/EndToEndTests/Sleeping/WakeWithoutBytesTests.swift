import CPuppet
import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

/// Urgent bytes and signals: they wake a command, and no line becomes readable.
@Suite(.bounded) struct WakeWithoutBytesTests {
  @Test func `an urgent byte wakes one that waits for nothing else`() throws {
    let stage = try Stage(clockRate: 4)
    let server = try stage.network.inside { try Server() }
    let run = try stage.run("urgent", Python.command(Self.urgent, "\(server.port)"))
    let peer = try server.accept()
    for byte in ["a", "b"] {
      try stage.journal.waitForSleep(of: "urgent")
      let sent = unsafe send(peer.box.raw, byte, 1, Int32(MSG_OOB))
      #expect(sent == 1)
      #expect(try run.output.line() == "urgent \(byte)")
    }
  }

  private static let urgent = """
    import select, socket, sys
    one = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    poll = select.epoll()
    poll.register(one, select.EPOLLPRI)
    while poll.poll():
      print("urgent", one.recv(1, socket.MSG_OOB).decode(), flush=True)
    """

  /// The program stands still meanwhile, so that the signal is surely pending when the daemon observes it.
  @Test func `a signal that is pending on a second thread is not lost`() throws {
    let stage = try Stage(clockRate: 4)
    let run = try stage.run("signalled", Python.command(Self.signalled))
    let thread = try #require(Int32(run.output.line()))
    let pid = try #require(try stage.pids(of: "signalled").first)
    try stage.journal.waitForSleep(of: "signalled")
    try stage.lull.order("wake name=signalled")
    try stage.lull.cgroup(of: "signalled").freeze()
    try Kernel.check(cpuppet_signal_thread(pid, thread, SIGUSR1))
    _ = try stage.journal.next(of: "signalled", among: ["frozen", "freeze-refused"])
    #expect(try run.output.line() == "signal")
  }

  /// A program whose second thread waits in a call that the signal interrupts; the first thread then learns
  /// of the signal.
  private static let signalled = """
    import select, signal, socket, threading
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    line.bind(("127.0.0.1", 0))
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    signal.set_wakeup_fd(theirs.fileno())
    signal.signal(signal.SIGUSR1, lambda *_: None)
    def second():
      print(threading.get_native_id(), flush=True)
      threading.Event().wait()
    threading.Thread(target=second, daemon=True).start()
    while select.select([line, ours], [], []):
      ours.recv(100)
      print("signal", flush=True)
    """
}
