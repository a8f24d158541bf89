import LullSystem
import TestSupport
import Testing

/// A container whose first process is Lull's.
@Suite(.bounded) struct ContainerTests {
  @Test func `lull-guard may be pid 1`() throws {
    let lull = try Lull(prefix: Python.command(Self.container))
    let first = try #require(try Process.children(of: lull.guardian.pid).first)
    let inside = ["nsenter", "--target", "\(first)", "--pid", "--mount", "--"]
    let run = try lull.start(["run", "--name", "p", "--", "sh", "-c", "exit 7"], prefix: inside)
    #expect(try run.end() == .exited(7))
    let stop = try lull.start(["daemon", "stop"], prefix: inside)
    // The end of the first process ends all others, also the one that asks.
    _ = try stop.output.untilEnd()
    #expect(try lull.guardian.end() == .exited(0))
  }

  /// Makes namespaces of processes and mounts, and runs a command as the first process of it. unshare(1)
  /// would keep the descriptor open whose end says that the daemon has started.
  private static let container = """
    import ctypes, os, sys
    libc = ctypes.CDLL(None)
    libc.unshare(0x20000000 | 0x20000)
    child = os.fork()
    if not child:
      libc.prctl(1, 9)
      os.system("mount --make-rprivate / && mount -t proc proc /proc")
      os.execv(sys.argv[1], sys.argv[1:])
    os.close(9)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
}
