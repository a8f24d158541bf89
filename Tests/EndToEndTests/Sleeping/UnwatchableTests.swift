import LullSystem
import LullWire
import TestSupport
import Testing

/// A thread that waits for something that nobody can watch keeps its program awake.
@Suite(.bounded) struct UnwatchableTests {
  private enum Wait: String, CaseIterable {
    case semaphore, queue, flock, fcntl, ring

    /// The words of `lull why` for this wait.
    var words: String {
      switch self {
      case .semaphore: "a futex in shared memory"
      case .queue: "a System V queue or semaphore"
      case .flock, .fcntl: "a file lock"
      case .ring: "an io_uring with direct descriptors"
      }
    }
  }

  @Test func `it stays awake, and lull why says what for`() throws {
    let stage = try Stage(clockRate: 4)
    let path = "\(stage.lull.sandbox.directory)/locked"
    let holder = try ConnectedChild(Python.command(Self.holder, path))
    #expect(try holder.output.line() == "held")
    // The queue goes with its namespace.
    let runs = try Wait.allCases.map { wait in
      let script = Self.programs[wait, default: ""] + Self.frame
      let command = ["unshare", "--ipc"] + (try Python.command(script, path))
      return (wait, try stage.run(wait.rawValue, command))
    }
    for (wait, run) in runs { #expect(try run.output.line() == "ready", "\(wait)") }
    for (wait, run) in runs {
      let name = wait.rawValue
      let entry = try stage.lull.journal().waitForRefusal(of: name, cause: "unwatchable")
      #expect(entry["detail"]?.contains(wait.words) == true, "\(entry)")
      let why = try stage.why(name)
      #expect(why.hasPrefix("\(name) is in the background and awake\n"), "\(why)")
      #expect(why.contains(wait.words), "\(why)")
      #expect(try run.isAlive)
    }
  }

  /// The two kinds of lock on one file do not know of each other.
  private static let holder = """
    import fcntl, sys
    file = open(sys.argv[1], "w")
    fcntl.flock(file, fcntl.LOCK_EX)
    fcntl.lockf(file, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.readline()
    """

  /// A program whose second thread waits for bytes of a line, and would let the program sleep.
  private static let frame = """

    import socket, threading
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    line.bind(("127.0.0.1", 0))
    threading.Thread(target=line.recv, args=(100,), daemon=True).start()
    print("ready", flush=True)
    wait()
    """

  private static let programs: [Wait: String] = [
    .semaphore: """
    import multiprocessing
    wait = multiprocessing.Semaphore(0).acquire
    """,
    .queue: """
    import ctypes
    libc = ctypes.CDLL(None)
    queue = libc.msgget(0, 0o1600)
    room = ctypes.create_string_buffer(200)
    wait = lambda: libc.msgrcv(queue, room, ctypes.c_size_t(100), ctypes.c_long(0), 0)
    """,
    .flock: """
    import fcntl, sys
    file = open(sys.argv[1], "w")
    wait = lambda: fcntl.flock(file, fcntl.LOCK_EX)
    """,
    .fcntl: """
    import fcntl, sys
    file = open(sys.argv[1], "w")
    wait = lambda: fcntl.lockf(file, fcntl.LOCK_EX)
    """,
    // io_uring_setup with SINGLE_ISSUER and DEFER_TASKRUN, _register of one file, _enter for one completion,
    // which a freeze interrupts.
    .ring: """
    import array, ctypes, socket, sys
    libc = ctypes.CDLL(None)
    parameters = array.array("I", [0, 0, 1 << 12 | 1 << 13] + [0] * 27)
    ring = libc.syscall(425, 8, ctypes.c_void_p(parameters.buffer_info()[0]))
    if ring < 0:
      sys.exit("this test needs io_uring (sysctl kernel.io_uring_disabled=0)")
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.bind(("127.0.0.1", 0))
    files = array.array("i", [own.fileno()])
    if libc.syscall(427, ring, 2, ctypes.c_void_p(files.buffer_info()[0]), 1):
      sys.exit("no file can be registered with the io_uring")
    def wait():
      while libc.syscall(426, ring, 0, 1, 1, None, ctypes.c_size_t(0)) < 0:
        pass
    """,
  ]
}
