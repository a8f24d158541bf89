import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// Bad directories, sockets and users.
@Suite(.tags(.badInput), .bounded) struct BadPlaceTests {
  private static let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

  @Test func `a runtime directory of another uid is refused`() throws {
    let sandbox = try Sandbox()
    let path = "\(sandbox.directory)/run"
    try Kernel.check(unsafe mkdir(path, 0o700))
    try Kernel.check(unsafe chown(path, 65534, 65534))
    let child = try ConnectedChild(
      [Built.program("lulld")],
      environment: ["LULL_RUNTIME_DIR=\(path)", "LULL_CGROUP_ROOT=\(sandbox.cgroup)"])
    #expect(
      try child.errors.untilEnd()
        == "lull-guard: runtime directory \(path): belongs to uid 65534, not to uid 0\n")
    #expect(try child.end() == .exited(1))
  }

  @Test func `a stale socket is replaced`() throws {
    let lull = try Lull()
    let pid = try lull.pid
    // The guard and the daemon end together: nobody is left to remove the socket.
    try lull.guardian.signal(Signal.stop)
    let daemon = try Process.pidfdOpen(pid)
    try Process.sendSignal(daemon.raw, Signal.kill)
    try lull.guardian.signal(Signal.kill)
    try lull.guardian.end()
    try Deadline().wait(daemon.raw, .readable, for: "the end of lulld")
    #expect(Files.exists(lull.socket))
    try lull.startAgain()
    #expect(try lull.pid != pid)
  }

  @Test func `a second daemon is refused and the first serves on`() throws {
    let lull = try Lull()
    let second = try ConnectedChild([Built.program("lulld")], environment: lull.environment)
    #expect(
      try second.errors.untilEnd()
        == "lull-guard: a daemon is already running in \(lull.runtimeDirectory); `lull status` asks it\n")
    #expect(try second.end() == .exited(1))
    try lull.connect().order("hello")
  }

  @Test func `a client of another uid is refused`() throws {
    try Executables.requireNetcat()
    let lull = try Lull()
    // The directory keeps others out already; this is the second line of defence.
    try Kernel.check(unsafe chmod(lull.runtimeDirectory, 0o711))
    try Kernel.check(unsafe chmod(lull.socket, 0o666))
    let client = try ConnectedChild(Self.nobody + ["nc", "-U", lull.socket])
    #expect(
      try client.output.untilEnd()
        == "error code=refused message=\"this daemon serves uid 0; uid 65534 needs its own\"\n")
    try lull.connect().order("hello")
  }

  @Test func `a process of a program may ask for that program only`() throws {
    let lull = try Lull()
    let puppet = try Puppet.registered(lull, launch: "foreground")
    try puppet.expect(
      "quit name=other", code: "refused", words: "a process of the program puppet may ask for that program")
    try puppet.expect("log", code: "refused", words: "for that program only")
  }
}
