import Glibc
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct IdentityTests {
  @Test func `the process and its user are the kernel's`() {
    #expect(Identity.pid() == getpid())
    #expect(Identity.uid() == geteuid())
    #expect(Identity.home()?.hasPrefix("/") == true)
  }

  @Test func `the environment is given byte for byte, and by name`() async {
    await #expect(processExitsWith: .success) {
      #expect(unsafe setenv("SYSTEM_TEST", "a\u{e9}", 1) == 0)
      let odd: [CChar] = [0x61, -1, 0x62, 0]
      #expect(unsafe setenv("SYSTEM_ODD", odd, 1) == 0)
      #expect(Identity.environment("SYSTEM_TEST") == "a\u{e9}")
      #expect(Identity.environment("SYSTEM_ODD") == "a\u{fffd}b")
      #expect(Identity.environment("SYSTEM_MISSING") == nil)
      #expect(Identity.allEnvironment().contains(Array("SYSTEM_ODD=a".utf8) + [0xff, 0x62]))
    }
  }

  @Test func `the limit of open files is raised to the hard one`() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit()
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      try #require(unsafe getrlimit(resource, &limit) == 0)
      limit.rlim_cur = 64
      try #require(unsafe setrlimit(resource, &limit) == 0)
      #expect(try ResourceLimits.openFiles() == 64)
      #expect(try ResourceLimits.raiseOpenFiles() == Int(limit.rlim_max))
      #expect(try ResourceLimits.openFiles() == Int(limit.rlim_max))
    }
  }

  @Test func `a socket is no terminal and has no size`() throws {
    let (here, there) = try UnixSocket.pair()
    #expect(!Terminal.isTerminal(here.raw))
    #expect(Terminal.columns(here.raw) == nil)
    try StandardStreams.write(Array("line\n".utf8), to: there.raw)
    var buffer = ReceiveBuffer(capacity: 16)
    #expect(try StandardStreams.read(here.raw, into: &buffer) == .bytes(5))
  }

  @Test func `a pseudo-terminal is a terminal with lines of some length`() throws {
    let master = Descriptor(owning: unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC))
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    try #require(unsafe ioctl(master.raw, UInt(TIOCSWINSZ), &size) == 0)
    #expect(Terminal.isTerminal(master.raw))
    #expect(Terminal.columns(master.raw) == 80)
  }
}
