import LullSystem
import LullWire
import TestSupport
import Testing

/// A lulld that stands still.
@Suite(.tags(.faults), .bounded) struct WatchdogTests {
  @Test func `a stopped lulld is continued, and what it had put to sleep runs meanwhile`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    try Process.kill(lull.pid, Signal.stop)
    // Lulld has learnt that the program runs, and puts it to sleep again.
    try journal.wait("woke", of: puppet.name)
    try journal.waitForSleep(of: puppet.name)
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    #expect(try lull.order("status").all(.daemon).first?[.restarts] == nil)
  }

  @Test func `SIGTERM to the guard of a stopped lulld thaws everything and ends both`() throws {
    let lull = try Lull()
    let (puppet, peer) = try Puppet.sleeping(lull, lull.journal())
    let pid = try lull.pid
    try Process.kill(pid, Signal.stop)
    try lull.guardian.signal(Signal.terminate)
    try lull.guardian.signal(Signal.terminate)
    #expect(try lull.guardian.end() == .exited(0))
    #expect((try? ProcessEntry(of: pid)) == nil)
    _ = try puppet.told("lost")
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
  }

  /// The second guard is not the parent of lulld and gets no SIGCHLD.
  @Test func `a guard in place of a killed one continues a stopped lulld as well`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    let pid = try lull.pid
    try lull.guardian.signal(Signal.kill)
    try journal.wait("guard-replaced")
    try Process.kill(pid, Signal.stop)
    try eventually("lulld was not stopped") { try Process.isStopped(pid) }
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    try journal.wait("woke", of: puppet.name)
    #expect(try lull.pid == pid)
    try lull.endReplaced()
  }

  @Test func `a stopped guard is continued before anything is put to sleep`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    try lull.guardian.signal(Signal.stop)
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    try journal.waitForSleep(of: puppet.name)
    #expect(try !Process.isStopped(lull.guardian.pid))
  }

  /// The page that the program waits with is gone when lulld reads it, and nobody brings it back.
  @Test func `a lulld that hangs is ended, and everything runs`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    let words = ["run", "--mode", "voip", "--name", "trap", "--"]
    let trap = try lull.start(words + Python.command(Self.trap), input: Files.openNull().raw)
    #expect(try trap.output.line() == "set")
    _ = try puppet.told("lost")
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    #expect(try lull.order("status").all(.daemon).first?[.restarts] == "1")
  }

  /// A thread sleeps, by a time that stands in a page of userfaultfd(2): whoever reads it waits for a
  /// handler, and there is none. A thread whose call was begun again by a freeze meanwhile is no trap any
  /// more.
  private static let trap = """
    import ctypes, fcntl, os, socket, struct, threading
    sleeping, faulting = {"x86_64": (230, 323), "aarch64": (115, 282)}[os.uname().machine]
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_long]
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    libc.clock_nanosleep.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    faults = libc.syscall(faulting, os.O_CLOEXEC)
    fcntl.ioctl(faults, 0xC018AA3F, bytearray(struct.pack("QQQ", 0xAA, 0, 0)))
    listener = socket.create_server(("127.0.0.1", 0))
    def sleeps(thread):
      with open(f"/proc/self/task/{thread.native_id}/syscall") as call:
        return call.read().startswith(f"{sleeping} 0x1 ")
    def set():
      page = libc.mmap(None, 4096, 3, 0x22, -1, 0)
      ctypes.memmove(page, struct.pack("qq", 10000, 0), 16)
      thread = threading.Thread(target=libc.clock_nanosleep, args=(1, 0, page, None), daemon=True)
      thread.start()
      for _ in range(100000):
        if sleeps(thread): break
      fcntl.ioctl(faults, 0xC020AA00, bytearray(struct.pack("QQQQ", page, 4096, 1, 0)))
      libc.madvise(page, 4096, 4)
      return sleeps(thread)
    while not set(): pass
    print("set", flush=True)
    listener.accept()
    """
}
