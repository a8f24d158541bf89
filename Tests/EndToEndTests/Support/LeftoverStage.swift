import LullSystem
import LullWire
import TestSupport
import Testing

/// A daemon with a server that sleeps, in a cgroup or stopped by signals, for tests that kill all of Lull.
final class LeftoverStage {
  enum Mode: CaseIterable {
    case cgroup, signal
  }

  let mode: Mode
  let sandbox: Sandbox
  let lull: Lull
  let journal: Journal
  let port: UInt16
  private(set) var pid: Int32 = 0
  /// The keeper of a detached server, which was stopped.
  private var keeper: Int32?

  init(_ mode: Mode) throws {
    self.mode = mode
    sandbox = try Sandbox()
    let root = "\(sandbox.cgroup)/one"
    _ = try Cgroup.create(at: root)
    lull = try Lull(cgroupRoot: mode == .cgroup ? root : "/proc/nonexistent", sandbox: sandbox)
    journal = try lull.journal()
    port = freePort()
  }

  /// Starts the server as `lull run` and waits until it sleeps. `script` is told the port.
  func start(_ script: String = LeftoverStage.server, isDetached: Bool) throws -> ConnectedChild {
    let detach = isDetached ? ["--detach"] : []
    let command = try Python.command(script, "\(port)")
    let run = try lull.start(["run", "--name", "server"] + detach + ["--"] + command)
    let said = isDetached ? try follow(run) : run
    _ = try said.output.line { $0 == "ready" }
    try lull.order("suspend name=server")
    try journal.waitForSleep(of: "server")
    pid = try Int32(#require(lull.field(.pids, of: "server").split(separator: ",").first)) ?? 0
    try waitUntilHeld(pid)
    if isDetached {
      // The parent of the command would let it go on.
      let keeper = try Process.parentPid(of: pid)
      try Process.kill(keeper, Signal.stop)
      self.keeper = keeper
    }
    return run
  }

  /// A lull-audio beside the daemon's own, and its connection to that.
  func startAudio() throws -> (audio: ConnectedChild, link: DescriptorBox) {
    let (own, other) = try UnixSocket.pair()
    defer { other.close() }
    let audio = try ConnectedChild(
      [Built.program("lull-audio")], environment: lull.environment, passed: [.init(other.raw, as: 3)])
    return (audio, own)
  }

  deinit {
    if let keeper { try? Process.kill(keeper, Signal.kill) }
  }

  /// The log of the server, which has been started when the detaching process has ended.
  private func follow(_ run: ConnectedChild) throws -> ConnectedChild {
    try #require(try run.end() == .exited(0))
    return try lull.follow("server")
  }

  /// The output of the doctor in a session of its own. From the root of the hierarchy it would find what
  /// other tests have left asleep at this moment, and thaw that.
  func doctor(_ options: String...) throws -> String {
    let session = "\(sandbox.cgroup)/session"
    _ = try? Cgroup.create(at: session)
    let enter = ["sh", "-c", "echo $$ >\(session)/cgroup.procs; exec \"$@\"", "sh"]
    let doctor = try lull.start(["doctor"] + options, prefix: enter)
    let output = try doctor.output.untilEnd()
    try doctor.end()
    return output
  }

  /// True when a process is held still.
  func isHeld(_ pid: Int32) throws -> Bool {
    guard mode == .cgroup else { return try Kernel.status(pid, "State").hasPrefix("T") }
    let path = try CgroupMount.find() + Process.cgroupPath(of: pid)
    return try Cgroup.open(at: path).state().frozen
  }

  /// Waits until a process is held still: one that was inspected while it was stopped needs the processor
  /// once more before that.
  func waitUntilHeld(_ pid: Int32) throws {
    try eventually("process \(pid) is not held still") { try isHeld(pid) }
  }

  /// The server answers: it runs.
  func expectAnswer() throws {
    let box = DescriptorBox(try Socket.connectNonBlocking(.loopback(port: port)))
    let peer = Channel(box, name: "the server")
    #expect(try peer.line() == "hello")
  }

  /// The name of the server in the list of what was left asleep.
  var name: String { mode == .cgroup ? "server" : "process \(pid)" }

  /// A server that answers each connection with a text line.
  static let server = """
    import socket, sys
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    print("ready", flush=True)
    while True:
      connection, _ = listener.accept()
      with connection:
        connection.sendall(b"hello\\n")
    """
}

extension Lull {
  /// Ends lulld and its guard with SIGKILL, before either can do anything about it.
  func killBoth() throws {
    let pid = try pid
    let daemon = try Process.pidfdOpen(pid)
    try guardian.signal(Signal.stop)
    try Process.sendSignal(daemon.raw, Signal.kill)
    try guardian.signal(Signal.kill)
    try guardian.end()
    try Deadline().wait(daemon.raw, .readable, for: "the end of lulld")
  }
}
