import LullSystem
import LullWire
import TestSupport
import Testing

/// A thread that waits for something that nobody can watch keeps its program awake.
@Suite(.bounded) struct UnwatchableTests {
  private enum Wait: String, CaseIterable {
    case semaphore, queue, flock, fcntl, ring, lease, directory, notice, permission, unshared, napping

    /// The words of `lull why` for this wait.
    var words: String {
      switch self {
      case .semaphore: "a futex in shared memory"
      case .queue: "a System V queue or semaphore"
      case .flock, .fcntl: "a file lock"
      case .ring: "an io_uring with direct descriptors"
      case .lease: "the end of a lease on a file"
      case .directory: "a notice of dnotify about a directory"
      case .notice: "a notice of mq_notify about a message queue"
      case .permission: "a permission event of fanotify"
      case .unshared, .napping: "descriptors of one thread alone"
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
      #expect(entry["detail"].flatMap(Unwatchable.init) != nil, "\(entry)")
      try stage.waitForWhy(name, wait.words)
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
    .lease: """
    import fcntl, os, signal, sys
    signal.signal(signal.SIGIO, lambda *_: None)
    path = sys.argv[1] + ".leased"
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    leased = os.open(path, os.O_RDONLY)
    fcntl.fcntl(leased, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    wait = signal.pause
    """,
    .directory: """
    import fcntl, os, signal, sys
    signal.signal(signal.SIGIO, lambda *_: None)
    folder = os.open(os.path.dirname(sys.argv[1]), os.O_RDONLY)
    fcntl.fcntl(folder, fcntl.F_NOTIFY, fcntl.DN_CREATE | fcntl.DN_MULTISHOT)
    def wait():
      while True:
        signal.pause()
    """,
    // mq_open with a name of this namespace of queues, mq_notify with SIGEV_SIGNAL.
    .notice: """
    import array, ctypes, os, signal
    signal.signal(signal.SIGUSR1, lambda *_: None)
    library = ctypes.CDLL("librt.so.1", use_errno=True)
    queue = library.mq_open(b"/notice", os.O_CREAT | os.O_RDWR, 0o600, None)
    event = array.array("i", [0, 0, signal.SIGUSR1, 0] + [0] * 12)
    if queue < 0 or library.mq_notify(queue, ctypes.c_void_p(event.buffer_info()[0])):
      raise OSError(ctypes.get_errno(), "mq_notify")
    wait = signal.pause
    """,
    // fanotify_init with FAN_CLASS_CONTENT; fanotify_mark with FAN_OPEN_PERM and FAN_EVENT_ON_CHILD for the
    // folders of lulld, which asks to open files there; every request is granted.
    .permission: """
    import ctypes, os, struct, sys
    libc = ctypes.CDLL(None, use_errno=True)
    group = libc.fanotify_init(4, os.O_RDONLY)
    for folder, _, _ in os.walk(os.path.dirname(sys.argv[1])):
      if libc.fanotify_mark(group, 1, ctypes.c_uint64(0x8010000), -100, folder.encode()):
        raise OSError(ctypes.get_errno(), "fanotify_mark")
    def wait():
      while True:
        file = struct.unpack_from("=IBBHqii", os.read(group, 24))[5]
        os.write(group, struct.pack("=iI", file, 1))
        os.close(file)
    """,
    .unshared: """
    import ctypes, os, threading
    libc = ctypes.CDLL(None)
    def alone():
      libc.unshare(0x400)
      ours, theirs = os.pipe()
      os.read(ours, 1)
    threading.Thread(target=alone, daemon=True).start()
    wait = threading.Event().wait
    """,
    .napping: """
    import ctypes, threading, time
    libc = ctypes.CDLL(None)
    def alone():
      libc.unshare(0x400)
      while True:
        time.sleep(0.1)
    threading.Thread(target=alone, daemon=True).start()
    wait = threading.Event().wait
    """,
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
