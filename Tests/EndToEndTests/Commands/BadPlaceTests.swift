import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// Bad directories, sockets and users.
@Suite(.tags(.badInput), .bounded) struct BadPlaceTests {
  private static let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

  private static func environment(_ sandbox: Sandbox) -> [String] {
    [
      "LULL_RUNTIME_DIR=\(sandbox.directory)/run", "LULL_CGROUP_ROOT=\(sandbox.cgroup)",
      "XDG_STATE_HOME=\(sandbox.directory)/state",
    ]
  }

  @Test func `a runtime directory of another uid is refused`() throws {
    let sandbox = try Sandbox()
    let path = "\(sandbox.directory)/run"
    try Kernel.check(unsafe mkdir(path, 0o700))
    try Kernel.check(unsafe chown(path, 65534, 65534))
    let child = try ConnectedChild(
      [Built.program("lulld")],
      environment: Self.environment(sandbox))
    #expect(
      try child.errors.untilEnd()
        == "lull-guard: runtime directory \(path): belongs to uid 65534, not to uid 0\n")
    #expect(try child.end() == .exited(1))
  }

  @Test(arguments: [
    ["lulld", "--guarded"], ["lulld", "--guarded", "--locked"], ["lull-guard", "--adopt"],
    ["lull-guard", "--ready", "900"],
  ])
  func `an option that hands descriptors over is refused without them`(words: [String]) throws {
    let child = try ConnectedChild([Built.program(words[0])] + words.dropFirst())
    let line = try child.errors.untilEnd()
    #expect(line.hasPrefix("\(words[0]): --"))
    #expect(line.contains("is for Lull's own processes: no file is open as descriptor "))
    #expect(line.split(separator: "\n").count == 1)
    #expect(try child.end() == .exited(64))
  }

  @Test func `a guard without its daemon says so, and so does who started it`() throws {
    let sandbox = try Sandbox()
    let folder = "\(sandbox.directory)/bin"
    try Kernel.check(unsafe mkdir(folder, 0o700))
    #expect(try ConnectedChild(["cp", Built.program("lull-guard"), folder]).end() == .exited(0))
    let child = try ConnectedChild(
      [Built.program("lull"), "run", "--", "true"],
      environment: Self.environment(sandbox) + ["LULL_GUARD=\(folder)/lull-guard"])
    #expect(
      try child.errors.untilEnd()
        == "lull: no daemon: lulld is not beside lull-guard: install both in one folder\n")
    #expect(try child.end() == .exited(1))
  }

  @Test func `a runtime directory without room is told by who needs a daemon, and by doctor`() throws {
    let sandbox = try Sandbox()
    let path = "\(sandbox.directory)/run"
    try Kernel.check(unsafe mkdir(path, 0o700))
    try Kernel.check(unsafe mount("none", path, "tmpfs", 0, "size=64k,mode=0700"))
    defer { _ = unsafe umount2(path, 2) }
    try Kernel.write(String(repeating: "x", count: 65_536), to: "\(path)/full")
    let environment = Self.environment(sandbox)
    let run = try ConnectedChild([Built.program("lull"), "run", "--", "true"], environment: environment)
    let words = "lull: no daemon: \(path): write \(path)/leftovers.new: No space left on device (ENOSPC)\n"
    #expect(try run.errors.untilEnd() == words)
    #expect(try run.end() == .exited(1))
    let doctor = try ConnectedChild([Built.program("lull"), "doctor"], environment: environment)
    let text = try doctor.output.untilEnd().split { $0.isWhitespace }.joined(separator: " ")
    #expect(text.contains("cannot be written (No space left on device): no daemon can start"), "\(text)")
    _ = try doctor.end()
  }

  @Test func `a daemon with too few descriptors says so and does not start`() throws {
    let sandbox = try Sandbox()
    let child = try ConnectedChild(
      ["prlimit", "--nofile=63", Built.program("lull"), "run", "--", "true"],
      environment: Self.environment(sandbox))
    #expect(
      try child.errors.untilEnd()
        == "lull: no daemon: only 63 files may be open (ulimit -n); lulld needs 64\n")
    #expect(try child.end() == .exited(1))
  }

  @Test func `a daemon with few descriptors runs a command`() throws {
    let sandbox = try Sandbox()
    let path = "\(sandbox.directory)/run"
    let environment = Self.environment(sandbox)
    let daemon = try ConnectedChild(
      ["prlimit", "--nofile=64", Built.program("lulld")], environment: environment)
    try eventually("it does not listen") { UnixSocket.isListening(path: "\(path)/control") }
    let run = try ConnectedChild(
      [Built.program("lull"), "run", "--", "echo", "hi"], environment: environment)
    #expect(try run.output.untilEnd() == "hi\n")
    #expect(try run.end() == .exited(0))
    try daemon.signal(Signal.terminate)
    #expect(try daemon.end() == .exited(0))
  }

  @Test(
    arguments: ["lulld", "lull-guard", "lull-audio", "lull-phone", "lull-player", "lull"].map {
      [$0, "--version"]
    } + [
      ["lulld", "--help"], ["lull-audio", "--help"], ["lull-audio", "--devices"], ["lull-phone", "--help"],
      ["lull-player", "--help"], ["lull-player", "status"], ["lull", "doctor"],
    ])
  func `an output that cannot be written is one line and status 1`(words: [String]) throws {
    let sandbox = try Sandbox()
    let child = try ConnectedChild(
      ["sh", "-c", #"exec "$0" "$@" >/dev/full"#, Built.program(words[0])] + words.dropFirst(),
      environment: ["LULL_RUNTIME_DIR=\(sandbox.directory)/run"])
    #expect(
      try child.errors.untilEnd()
        == "\(words[0]): the output cannot be written: No space left on device\n")
    #expect(try child.end() == .exited(1))
  }

  @Test(arguments: ["lulld", "lull-player", "lull-phone"])
  func `a runtime directory that is relative is refused by every program`(program: String) throws {
    let words = ["lulld": [], "lull-player": ["status"], "lull-phone": ["127.0.0.1", "5"]][program] ?? []
    let child = try ConnectedChild(
      [Built.program(program)] + words, environment: ["LULL_RUNTIME_DIR=run"])
    #expect(
      try child.errors.untilEnd().hasSuffix(
        ": runtime directory run: give a path that begins with / in LULL_RUNTIME_DIR\n"))
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
        == "error code=refused message=\"other-user number=0\"\n")
    try lull.connect().order("hello")
  }
}
