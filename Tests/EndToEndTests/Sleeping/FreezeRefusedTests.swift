import LullSystem
import LullWire
import TestSupport
import Testing

/// Commands that cannot sleep: they run on, and `lull why` says why.
@Suite(.tags(.badInput), .bounded) struct FreezeRefusedTests {
  @Test func `a busy loop`() throws {
    let stage = try Stage(clockRate: 20)
    try stage.run("busy", ["sh", "-c", "while :; do :; done"])
    // The first refusal is told, and the next nine in one entry.
    for count in [nil, "9"] {
      let entry = try stage.journal.wait("freeze-refused", of: "busy", cause: "not-idle")
      #expect(entry[.count] == count)
    }
    try Self.expectAwake("busy", because: "not-idle", stage)
  }

  @Test func `more descriptors than are looked at one by one`() throws {
    let stage = try Stage()
    let run = try stage.run("hoarder", Python.command(Python.hoarder, "4200"))
    #expect(try run.output.line() == "ready")
    try stage.journal.wait("freeze-refused", of: "hoarder", cause: "too-many-lines")
    try Self.expectAwake("hoarder", because: "too-many-lines", stage)
    try run.output.send("end\n")
    #expect(try run.end() == .exited(0))
  }

  /// The numbers of its descriptors cannot be looked up any more, so the waits of its other threads cannot be
  /// watched.
  @Test func `one whose main thread has ended`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    try stage.run("headless", Python.command(Self.headless, "\(port)"))
    try stage.journal.wait("freeze-refused", of: "headless", cause: "no-descriptor")
    let peer = try stage.network.connect(to: port)
    try peer.send("hello\n")
    #expect(try peer.line() == "hello")
  }

  private static let headless = """
    import ctypes, os, socket, sys, threading
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    def serve():
      while True:
        connection, _ = listener.accept()
        connection.sendall(connection.recv(100))
    threading.Thread(target=serve).start()
    ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)
    """

  @Test func `--wake-on with a port that it does not use`() throws {
    let stage = try Stage()
    let (port, other) = (try stage.network.freePort(), try stage.network.freePort())
    let command = try Python.command(Python.datagrams, "\(port)")
    try stage.run("echo", command, options: ["--wake-on", "\(other)"])
    try stage.journal.wait("freeze-refused", of: "echo", cause: "no-port")
    try Self.expectAwake("echo", because: "no-port", stage)
    let peer = try stage.network.datagrams(to: port)
    try peer.send("hello\n")
    #expect(try peer.line() == "hello")
  }

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
    let outcome = try stage.journal.next(of: "storm", among: ["frozen", "freeze-refused"])
    #expect(outcome["what"] == "frozen" || outcome["cause"] == "too-many-processes", "\(outcome)")
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
    let remark = try stage.lull.order("why name=second").all(.remark).first
    #expect(remark?[.text]?.hasPrefix("left awake: it ended when it was frozen") == true)
    #expect(try stage.lull.state(of: "second") == "background")
    #expect(try second.isAlive)
  }

  /// Daemon and program belong to a uid without rights, and the program is not dumpable.
  @Test func `a program over which the daemon has no ptrace rights`() throws {
    let sandbox = try Sandbox()
    let nobody = try Nobody(sandbox, copying: ["lulld", "lull-guard", "lull"])
    let lull = try Lull(sandbox: sandbox, prefix: nobody.prefix, binaries: nobody.folder)
    let command = ["run", "--mode", "voip", "--name", "p", "--", "\(nobody.folder)/puppet"]
    let run = try nobody.start(["lull"] + command, lull)
    try run.output.send("!undumpable\n")
    let log = try nobody.start(["lull", "log", "--follow"], lull)
    _ = try log.output.line { $0.contains("p  freeze-refused (no-rights)") }
    let asked = try nobody.start(["lull", "why", "p"], lull)
    let why = try asked.output.untilEnd()
    #expect(why.hasPrefix("p is in the background and awake\n"), "\(why)")
    #expect(why.contains("could not sleep: the daemon may not look into it"), "\(why)")
  }

  private static func expectAwake(_ name: String, because word: String, _ stage: Stage) throws {
    #expect(try stage.lull.state(of: name) == "background")
    let sleep = try stage.lull.order("why name=\(name)").all(.sleep).first
    #expect(sleep?[.refused] == word)
    #expect(try stage.why(name).hasPrefix("\(name) is in the background and awake\n"))
  }
}
