import LullSystem
import LullWire
import TestSupport
import Testing

/// Programs of several processes where no cgroup can be written: every process stops, or the program is not
/// put to sleep.
@Suite(.bounded) struct SignalledTests {
  /// A server with a child in a session of its own and a grandchild. It says `ready` when all of them are
  /// there.
  private static func family(_ middle: String) -> String {
    """
    import os, signal, socket, sys
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    reader, writer = os.pipe()
    if os.fork() == 0:
      os.setsid()
      child = os.fork()
      if child == 0:
        \(middle)
        print("last", os.getpid(), flush=True)
        os.write(writer, b"x")
        while True: signal.pause()
      \(middle == "pass" ? "os.waitpid(child, 0)" : "os._exit(0)")
    \(middle == "pass" ? "" : "os.wait()")
    os.read(reader, 1)
    print("ready", flush=True)
    while True:
      connection, _ = listener.accept()
      with connection:
        connection.sendall(b"hello\\n")
    """
  }

  /// The number that the last process says.
  private func last(_ run: ConnectedChild) throws -> Int32 {
    let line = try run.output.line { $0.hasPrefix("last ") }
    return try #require(Int32(line.dropFirst(5)))
  }

  private func start(_ stage: LeftoverStage, _ script: String) throws -> (run: ConnectedChild, last: Int32) {
    let words = ["run", "--mode", "voip", "--name", "server", "--"]
    let run = try stage.lull.start(words + Python.command(script, "\(stage.port)"))
    let pid = try last(run)
    _ = try run.output.line { $0 == "ready" }
    return (run, pid)
  }

  /// Of a process that stands still by SIGSTOP the kernel ends no request of a ring: nobody would wake it.
  @Test func `one with an io_uring stays awake, and says why`() throws {
    let stage = try LeftoverStage(.signal)
    let script = """
      import array, ctypes, socket, sys
      parameters = array.array("I", [0] * 30)
      ring = ctypes.CDLL(None).syscall(425, 8, ctypes.c_void_p(parameters.buffer_info()[0]))
      if ring < 0:
        sys.exit("this test needs io_uring (sysctl kernel.io_uring_disabled=0)")
      listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
      print("ready", flush=True)
      listener.accept()
      """
    let words = ["run", "--mode", "voip", "--name", "server", "--"]
    let run = try stage.lull.start(words + Python.command(script, "\(stage.port)"))
    #expect(try run.output.line() == "ready")
    let entry = try stage.lull.journal().waitForRefusal(of: "server", cause: "unwatchable")
    #expect(entry["detail"] == Unwatchable.stoppedRing.rawValue, "\(entry)")
  }

  @Test(arguments: ["pass", "os.getppid()"])
  func `children with a session of their own sleep, wake and end with it`(middle: String) throws {
    let stage = try LeftoverStage(.signal)
    let (run, last) = try start(stage, Self.family(middle))
    try stage.journal.waitForSleep(of: "server")
    let pids = try stage.lull.field(.pids, of: "server").split(separator: ",").compactMap { Int32($0) }
    #expect(pids.count == (middle == "pass" ? 3 : 2) && pids.contains(last))
    for pid in pids { try stage.waitUntilHeld(pid) }
    try stage.expectAnswer()
    try stage.journal.wait("woke", of: "server", cause: "accept")
    try stage.journal.waitForSleep(of: "server")
    for pid in pids { try stage.waitUntilHeld(pid) }
    let end = try Process.pidfdOpen(last)
    try stage.lull.order("quit name=server")
    try Deadline().wait(end.raw, .readable, for: "the end of the last process")
    try run.end()
  }

  @Test func `an orphan with an empty environment sleeps with the rest`() throws {
    let stage = try LeftoverStage(.signal)
    let middle = "os.execve(sys.executable, [sys.executable, '-c', SCRIPT], {})"
    let script = """
      import os, socket, sys
      listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
      reader, writer = os.pipe()
      os.set_inheritable(writer, True)
      SCRIPT = f"import os, signal\\nprint('last', os.getpid(), flush=True)\\nos.write({writer}, b'x')"
      SCRIPT += "\\nsignal.pause()"
      if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
          \(middle)
        os._exit(0)
      os.wait()
      os.read(reader, 1)
      print("ready", flush=True)
      listener.accept()
      """
    let (run, last) = try start(stage, script)
    try stage.journal.waitForSleep(of: "server")
    try stage.waitUntilHeld(last)
    try stage.lull.order("quit name=server")
    try run.end()
  }

  @Test func `the rest goes on when the first process dies asleep, and is the program`() throws {
    let stage = try LeftoverStage(.signal)
    let (run, last) = try start(stage, Self.family("pass"))
    try stage.journal.waitForSleep(of: "server")
    let pids = try stage.lull.field(.pids, of: "server").split(separator: ",").compactMap { Int32($0) }
    try Process.kill(#require(pids.first { $0 != last }), Signal.kill)
    try stage.journal.wait("woke", of: "server", cause: "child")
    #expect(try !stage.isHeld(last))
    #expect(try run.end() == .signaled(9))
    let end = try Process.pidfdOpen(last)
    try stage.lull.order("quit name=server")
    try Deadline().wait(end.raw, .readable, for: "the end of the last process")
    try stage.journal.wait("exited", of: "server")
  }

  @Test func `every process goes on when lulld is killed`() throws {
    let stage = try LeftoverStage(.signal)
    let (run, last) = try start(stage, Self.family("os.getppid()"))
    try stage.journal.waitForSleep(of: "server")
    try stage.lull.kill()
    try stage.expectAnswer()
    let next = try stage.lull.journal()
    try next.waitUntilAsleep("server", stage.lull)
    try stage.waitUntilHeld(last)
    let end = try Process.pidfdOpen(last)
    try stage.lull.order("quit name=server")
    try Deadline().wait(end.raw, .readable, for: "the end of the last process")
    try run.end()
  }

  @Test func `a program that registered itself sleeps with its children`() throws {
    let stage = try LeftoverStage(.signal)
    let script = """
      import os, signal, socket, sys
      child = os.fork()
      if child == 0:
        os.setsid()
        while True: signal.pause()
      daemon = socket.socket(socket.AF_UNIX)
      daemon.connect(sys.argv[1])
      daemon.sendall(b"register name=program modes=voip resume=background\\n")
      lines = daemon.makefile()
      for line in lines:
        ticket = [word for word in line.split() if word.startswith("ticket=")]
        if line.startswith("event wake"):
          print("child", child, flush=True)
          daemon.sendall(f"done {ticket[0]}\\n".encode())
      """
    let program = try ConnectedChild(Python.command(script, stage.lull.socket))
    let child = try #require(Int32(program.output.line { $0.hasPrefix("child ") }.dropFirst(6)))
    try stage.journal.waitForSleep(of: "program")
    try stage.waitUntilHeld(program.pid)
    try stage.waitUntilHeld(child)
    let pids = try stage.lull.field(.pids, of: "program")
    #expect(pids == "\(program.pid),\(child)")
    let end = try Process.pidfdOpen(child)
    try stage.lull.order("quit name=program")
    try Deadline().wait(end.raw, .readable, for: "the end of the child")
  }

  @Test func `with its guard replaced a command sleeps on, and so do later ones`() throws {
    let stage = try LeftoverStage(.signal)
    let (run, _) = try start(stage, Self.family("os.getppid()"))
    try stage.journal.waitForSleep(of: "server")
    try stage.lull.guardian.signal(Signal.kill)
    try stage.lull.guardian.end()
    try stage.journal.wait("guard-replaced")
    try stage.expectAnswer()
    try stage.journal.waitForSleep(of: "server")
    let other = try stage.lull.start(["run", "--name", "other", "--", "sh", "-c", "(cat &) ; cat"])
    try stage.journal.wait("registered", of: "other")
    try stage.lull.order("suspend name=other")
    try stage.journal.waitForSleep(of: "other")
    for name in ["other", "server"] { try stage.lull.order("quit name=\(name)") }
    try run.end()
    try other.end()
    let daemon = try Process.pidfdOpen(stage.lull.pid)
    try Process.sendSignal(daemon.raw, Signal.terminate)
    try Deadline().wait(daemon.raw, .readable, for: "the end of lulld")
  }
}
