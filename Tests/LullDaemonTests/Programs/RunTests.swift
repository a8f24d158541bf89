import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// "Running a command" of docs/PROTOCOL.md.
@Suite(.bounded) struct RunTests {
  private let daemon: DaemonProcess
  private let peer: Peer

  init() throws {
    daemon = try DaemonProcess()
    peer = try daemon.connect()
  }

  @Test func `a child that ends before it becomes the command leaves the name free`() throws {
    try peer.stage(["sleep", "1000"])
    let place = try peer.ask("run name=x")
    var request = SpawnRequest(["sleep", "1000"])
    (request.cgroup, request.isGated) = (place.descriptor?.raw, true)
    var child = try Process.spawn(request)
    #expect(try peer.started(child.pidfd).isOK)
    child.gate = nil
    #expect(try peer.notice(.exited)[.status] == "126")
    try eventually("the name did not become free") {
      try peer.ask("status").items(.program).isEmpty
    }
    #expect(try peer.run(["true"], "name=x").isOK)
  }

  /// Its parent has still to take the end. A program that is awaited would be `busy`.
  @Test func `a program that has ended is unknown, though its parent still listens`() throws {
    let daemon = try DaemonProcess(keeper: "x")
    let peer = try daemon.connect()
    #expect(try peer.ask("status name=x").code == .busy)
    #expect(try peer.run(["true"], "name=x").isOK)
    #expect(try peer.notice(.exited)[.status] == "0")
    try eventually("the program has not ended") { try peer.ask("status").items(.program).isEmpty }
    #expect(try peer.ask("status name=x").code == .noSuchProgram)
  }

  @Test func `a parent that has left before its command returned ends nothing`() throws {
    let command = try Child(SpawnRequest(["sleep", "1000"]))
    let parent = try daemon.connect()
    try parent.stage(["sleep", "1000"])
    #expect(try parent.ask("run name=x returning").isOK)
    try daemon.signal(Signal.stop)
    try eventually("the daemon did not stop") { try Process.isStopped(daemon.pid) }
    try parent.say("started\n", descriptor: command.pidfd)
    parent.close()
    try daemon.signal(Signal.continue)
    try eventually("the name did not become free") { try peer.run(["true"], "name=x").isOK }
    #expect(try Socket.poll(command.pidfd, .readable, timeoutMilliseconds: 0).isEmpty)
  }

  @Test func `only a child of the client is taken over, once for each run`() throws {
    let own = try Process.pidfdOpen(Identity.pid())
    let null = try Files.openNull()
    let daemonItself = try Process.pidfdOpen(1)
    #expect(try peer.ask("started").code == .missingField)
    #expect(try peer.ask("started", descriptor: own.raw).code == .missingField)
    for raw in [own.raw, null.raw, daemonItself.raw] {
      try peer.stage(["sleep", "1000"])
      #expect(try peer.ask("run name=x").isOK)
      #expect(try peer.ask("started", descriptor: raw).code == .refused)
      #expect(try peer.ask("started", descriptor: raw).code == .missingField)
    }
  }

  @Test func `a command that is not in its cgroup is held still by signals, and why says so`() throws {
    try peer.stage(["sleep", "1000"])
    var place = try peer.ask("run name=x")
    place.descriptor = nil
    #expect(try peer.start(["sleep", "1000"], in: place).isOK)
    let note = try peer.ask("why name=x").items(.note).first?[.cause]
    #expect(note == "not-let")
    // It is in no cgroup that is emptied at the end.
    #expect(try peer.ask("signal name=x number=9").isOK)
    _ = try peer.notice(.exited)
  }

  @Test func `a signal that was sent already wakes the program and is not sent again`() throws {
    try peer.run(["sleep", "1000"])
    try peer.ask("suspend name=sleep")
    try peer.waitState("sleep", "suspended")
    #expect(try peer.ask("signal name=sleep number=15 sent").isOK)
    try daemon.waitFrozen("sleep", false)
    #expect(try peer.ask("status name=sleep").items(.program).count == 1)
  }

  @Test func `every process is asked to end, in a session of its own and stopped too`() throws {
    let (input, output) = try UnixSocket.pair()
    let lines = Lines(of: input.raw)
    let inner = "trap 'echo inner; exit' TERM; echo in; kill -STOP \\$\\$; echo goes on"
    // A child that is just being forked might lose its signal.
    let loop = "echo up; while :; do read -r line <&1; done"
    let script = "trap 'exit 3' TERM; setsid sh -c \"\(inner)\" & \(loop)"
    try peer.run(["sh", "-c", script], output: output.raw)
    try lines.read("the processes") { $0.elementsEqual("in".utf8) }
    #expect(try peer.ask("quit name=sh").isOK)
    try lines.read("inner")
    #expect(try peer.notice(.exited)[.status] == "3")
    #expect(try peer.notice(.ended)[.status] == "3")
  }
}
