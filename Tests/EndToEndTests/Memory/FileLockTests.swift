import LullSystem
import LullWire
import TestSupport
import Testing

/// A sleeper that holds a lock for which another program waits is woken.
@Suite(.bounded) struct FileLockTests {
  /// A server that holds a lock of that kind on a file, and gives it back as soon as it runs again.
  private static let holder = """
    import fcntl, select, socket, sys
    path, kind, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
    file = open(path, "w")
    getattr(fcntl, kind)(file, fcntl.LOCK_EX)
    listener = socket.create_server(("127.0.0.1", port))
    print("ready", flush=True)
    listener.accept()
    """

  private static let waiter = """
    import fcntl, sys
    file = open(sys.argv[1], "w")
    print("waits", flush=True)
    getattr(fcntl, sys.argv[2])(file, fcntl.LOCK_EX)
    print("has it", flush=True)
    """

  @Test(arguments: ["flock", "lockf"])
  func `a sleeper that holds a lock is woken for it`(kind: String) throws {
    let stage = try Stage()
    let path = "\(stage.lull.sandbox.directory)/locked"
    let port = try stage.network.freePort()
    let run = try stage.run("store", Python.command(Self.holder, path, kind, "\(port)"))
    #expect(try run.output.line() == "ready")
    // The race: the locks of a sleeper are looked at once, a second after it has fallen asleep.
    try stage.lull.order("foreground name=store")
    let waiter = try ConnectedChild(Python.command(Self.waiter, path, kind))
    #expect(try waiter.output.line() == "waits")
    try eventually("nobody waits for the lock") {
      try Kernel.text("/proc/locks").split(separator: "\n").contains {
        $0.contains(" -> ") && $0.contains(" \(waiter.pid) ")
      }
    }
    try stage.lull.order("background name=store")
    try stage.journal.wait("woke", of: "store", cause: "lock")
    #expect(try stage.lull.item(.wake, of: "store")[.reason] == "lock")
    // The end of the program is the end of its lock.
    try stage.lull.order("quit name=store")
    #expect(try waiter.output.line() == "has it")
  }
}
