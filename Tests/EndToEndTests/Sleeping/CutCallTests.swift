import LullSystem
import LullWire
import TestSupport
import Testing

/// A freeze is a signal for the kernel, so a program in the middle of a call that would be cut short is not
/// frozen.
@Suite(.bounded) struct CutCallTests {
  private enum Call: String, CaseIterable {
    case send, write, sendfile, waitall, recvmmsg, semop

    /// The words of `lull why` for this call.
    var words: String {
      switch self {
      case .send: "send"
      case .write: "write"
      case .sendfile: "sendfile"
      case .waitall: "recv with MSG_WAITALL"
      case .recvmmsg: "recvmmsg"
      case .semop: "semtimedop"
      }
    }
  }

  @Test(arguments: Call.allCases)
  private func `a blocking call comes back whole, and lull why names it`(call: Call) throws {
    let stage = try Stage()
    let run = try stage.run(call.rawValue, Python.command(Self.caller, call.rawValue))
    #expect(try run.output.line() == "calls")
    // Without the look the freeze has cut the call short by now.
    let detail = try Self.refusal(of: call.rawValue, "call-under-way", stage.journal)
    #expect(Explanation(detail)?.text == call.words, "\(detail)")
    try run.output.send("go\n")
    #expect(try run.output.line() == "whole")
  }

  /// The first refusal of a busy program that has these words.
  private static func refusal(of name: String, _ words: String, _ journal: Journal) throws -> String {
    while true {
      let detail = try journal.waitForRefusal(of: name, cause: "not-idle")["detail"] ?? ""
      if detail.contains(words) { return detail }
    }
  }

  /// The program's other thread is the slow end: it takes or gives the rest when the test says so.
  private static let caller = """
    import ctypes, os, socket, sys, threading
    call = sys.argv[1]
    libc = ctypes.CDLL(None, use_errno=True)
    size = {"send": 24 << 20, "write": 1 << 20, "sendfile": 24 << 20, "waitall": 1 << 20}.get(call, 4)
    kind = socket.SOCK_DGRAM if call == "recvmmsg" else socket.SOCK_STREAM
    near, far = socket.socketpair(socket.AF_UNIX, kind)
    pipe = os.pipe()
    semaphore = libc.semget(0, 1, 0o1600)
    file = os.memfd_create("bytes")
    os.truncate(file, size)
    class Vector(ctypes.Structure):
      _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
    class Header(ctypes.Structure):
      _fields_ = [("name", ctypes.c_void_p), ("length", ctypes.c_uint), ("vector", ctypes.c_void_p),
        ("vectors", ctypes.c_size_t), ("control", ctypes.c_void_p), ("room", ctypes.c_size_t),
        ("flags", ctypes.c_int), ("got", ctypes.c_uint)]
    def recvmmsg():
      buffers = [ctypes.create_string_buffer(8) for _ in range(size)]
      vectors = [Vector(ctypes.addressof(one), 8) for one in buffers]
      headers = (Header * size)(*[Header(None, 0, ctypes.addressof(one), 1) for one in vectors])
      return libc.recvmmsg(near.fileno(), headers, size, 0, None)
    def semop(change):
      operation = (ctypes.c_short * 3)(0, change, 0)
      return libc.semop(semaphore, operation, 1)
    calls = {
      "send": lambda: near.send(bytes(size)), "write": lambda: os.write(pipe[1], bytes(size)),
      "sendfile": lambda: os.sendfile(near.fileno(), file, 0, size),
      "waitall": lambda: len(near.recv(size, socket.MSG_WAITALL)), "recvmmsg": recvmmsg,
      "semop": lambda: size + semop(-1),
    }
    def begin():
      if call == "waitall":
        far.send(b"x" * 100)
      elif call == "recvmmsg":
        far.send(b"x")
    def end():
      left = size
      if call in ("send", "sendfile", "write"):
        while left:
          left -= len(far.recv(1 << 16) if call != "write" else os.read(pipe[0], 1 << 16))
      elif call == "waitall":
        far.sendall(b"x" * (size - 100))
      elif call == "recvmmsg":
        for _ in range(size - 1):
          far.send(b"x")
      else:
        semop(1)
    begin()
    threading.Thread(target=lambda: (sys.stdin.readline(), end()), daemon=True).start()
    print("calls", flush=True)
    result = calls[call]()
    print("whole" if result == size else result, flush=True)
    """

  @Test func `by SIGSTOP a parent in vfork is not stopped, and its child goes on`() throws {
    let lull = try Lull(cgroupRoot: "/proc/nonexistent")
    let journal = try lull.journal()
    let run = try lull.start(
      ["run", "--mode", "voip", "--name", "parent", "--", Built.helper("sleeper"), "vfork", "-1"])
    _ = try Self.refusal(of: "parent", "text=vfork", journal)
    #expect(try run.isAlive)
    // Nobody else ends the two: neither has a terminal, and the parent waits for its child.
    #expect(try lull.run("quit", "--now", "parent").status == .exited(0))
  }

  @Test func `a program that works in short naps is at work, and sleeps when it rests`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    let run = try stage.run("worker", Python.command(Self.worker, "\(port)"))
    #expect(try run.output.line() == "ready")
    // Whichever the look meets first: a thread that runs, or what the program has used.
    while true {
      let detail = try Self.refusal(of: "worker", "", stage.journal)
      if [.threadWorks, .processorUsed].contains(Explanation(detail)?.verb) { break }
    }
    try run.output.send("rest\n")
    try stage.journal.waitUntilAsleep("worker", stage.lull)
  }

  private static let worker = """
    import hashlib, select, socket, sys, time
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    print("ready", flush=True)
    while not select.select([sys.stdin], [], [], 0)[0]:
      hashlib.sha256(bytes(2 << 20)).digest()
      time.sleep(0.002)
    sys.stdin.readline()
    while not select.select([listener], [], [], 0.1)[0]:
      pass
    """

  #if arch(x86_64)
    @Test func `a 32-bit program stays awake, and lull why says that it is one`() throws {
      let stage = try Stage()
      let path = "\(stage.lull.sandbox.directory)/narrow"
      let output = try Child(SpawnRequest(try Python.command(Self.narrow, path)))
      #expect(try output.end() == .exited(0))
      let run = try stage.run("narrow", [path])
      #expect(try run.output.line() == "ready")
      let entry = try stage.journal.waitForRefusal(of: "narrow", cause: "unwatchable")
      #expect(entry["detail"] == Unwatchable.narrow.rawValue, "\(entry)")
      try stage.waitForWhy("narrow", "a 32-bit program")
    }

    /// Writes a program of 38 bytes behind its headers: write(1, "ready\\n", 6), and pause() for ever.
    private static let narrow = """
      import os, struct, sys
      code = bytes.fromhex("e80600000072656164790a59b804000000bb01000000ba06000000cd80b81d000000cd80ebf7")
      base, size = 0x08048000, 84 + len(code)
      elf = struct.pack("<4s12B2H5I6H", b"\\x7fELF", 1, 1, 1, *[0] * 9, 2, 3, 1, base + 84, 52, 0, 0,
        52, 32, 1, 0, 0, 0)
      part = struct.pack("<8I", 1, 0, base, base, size, size, 5, 4096)
      with open(sys.argv[1], "wb") as file:
        file.write(elf + part + code)
      os.chmod(sys.argv[1], 0o755)
      """
  #endif
}
