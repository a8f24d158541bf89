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

  @Test func `a command runs in a cgroup of its own, and its end is told`() throws {
    let response = try peer.run(["sleep", "1000"])
    #expect(response.last[.name] == "sleep")
    let pid = Int32(try response.last.integer(.pid))
    #expect(try Process.cgroupPath(of: pid).hasSuffix("/sleep.program"))
    #expect(try peer.ask("signal name=sleep number=15").isOK)
    let exited = try peer.notice(.exited)
    #expect(exited[.name] == "sleep")
    #expect(exited[.signal] == "15")
    try eventually("the program did not end") { try peer.ask("status").items(.program).isEmpty }
  }

  @Test func `the status of a command that returned is told`() throws {
    #expect(try peer.run(["sh", "-c", "exit 7"], "name=seven").isOK)
    let exited = try peer.notice(.exited)
    #expect(exited[.name] == "seven")
    #expect(exited[.status] == "7")
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

  @Test func `a name that somebody has asked room for is taken, until that connection is gone`() throws {
    let other = try daemon.connect()
    try other.stage(["sleep", "1000"])
    #expect(try other.ask("run name=x").isOK)
    #expect(try peer.run(["true"], "name=x").code == .nameInUse)
    #expect(try daemon.netcat().ask("register name=x modes=voip").code == .nameInUse)
    other.close()
    try eventually("the name did not become free") { try peer.run(["true"], "name=x").isOK }
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
    let remark = try peer.ask("why name=x").items(.remark).first?[.text]
    #expect(remark?.contains("the kernel does not let `lull run` start it") == true)
  }

  @Test func `the parent tells an end that the daemon may not read, and nobody else does`() throws {
    #expect(try peer.run(["sleep", "1000"]).isOK)
    #expect(try peer.ask("ended name=sleep status=3").code == .refused)
    #expect(try daemon.netcat().ask("ended name=sleep status=3").code == .refused)
    #expect(try peer.ask("ended name=nobody status=3").code == .noSuchProgram)
    #expect(try peer.ask("signal name=sleep number=15").isOK)
    #expect(try peer.notice(.exited)[.signal] == "15")
  }

  @Test func `a signal that was sent already wakes the program and is not sent again`() throws {
    try peer.run(["sleep", "1000"])
    try peer.ask("suspend name=sleep")
    try peer.waitState("sleep", "suspended")
    #expect(try peer.ask("signal name=sleep number=15 sent").isOK)
    try daemon.waitFrozen("sleep", false)
    #expect(try peer.ask("status name=sleep").items(.program).count == 1)
  }

  @Test func `run without a command, without arguments and with a wrong count is refused`() throws {
    #expect(try peer.ask("run").code == .missingField)
    #expect(try peer.ask("command arguments=1").code == .missingField)
    let file = try Files.memoryFile(name: "command", Array("true\0".utf8))
    #expect(try peer.ask("command arguments=2", descriptor: file.raw).isOK)
    #expect(try peer.ask("run").code == .badValue)
    let null = try Files.openNull()
    #expect(try peer.ask("command arguments=1", descriptor: null.raw).code == .badValue)
    #expect(try peer.ask("run").code == .missingField)
  }

  @Test func `what was handed over serves one run`() throws {
    #expect(try peer.run(["true"]).isOK)
    #expect(try peer.ask("run").code == .missingField)
  }

  @Test func `a keep-alive below 600 s is refused, one of 600 s is installed and makes it a VoIP program`()
    throws
  {
    #expect(try peer.run(["sleep", "1000"], "keepAlive=599").code == .keepaliveTooShort)
    #expect(try peer.run(["sleep", "1000"], "keepAlive=600").isOK)
    let status = try peer.ask("status name=sleep")
    #expect(status.items(.program).first?[.modes] == "voip")
    #expect(status.items(.keepalive).first?[.timeoutSeconds] == "600")
  }

  @Test func `a floor for own timers makes it a VoIP program`() throws {
    #expect(try peer.run(["sleep", "1000"], "timers=4").code == .badValue)
    #expect(try peer.run(["sleep", "1000"], "timers=60").isOK)
    #expect(try peer.ask("status name=sleep").items(.program).first?[.modes] == "voip")
  }

  @Test func `a name that is in use is refused; one that was not chosen gets a number`() throws {
    #expect(try peer.run(["sleep", "1000"], "name=one").isOK)
    #expect(try peer.run(["sleep", "1000"], "name=one").code == .nameInUse)
    #expect(try peer.run(["sleep", "1000"]).last[.name] == "sleep")
    #expect(try peer.run(["sleep", "1000"]).last[.name] == "sleep-2")
  }

  @Test func `suspend freezes it, wake thaws it, foreground makes it active`() throws {
    try peer.run(["sleep", "1000"])
    #expect(try peer.ask("suspend name=sleep").isOK)
    try peer.waitState("sleep", "suspended")
    #expect(try daemon.state(of: "sleep").frozen)
    #expect(try peer.ask("wake name=sleep").last[.state] == "background")
    try daemon.waitFrozen("sleep", false)
    let status = try peer.ask("status name=sleep")
    #expect(status.items(.program).first?[.wakes] == "1")
    #expect(status.items(.lease).first?[.lease] == "wake")
    #expect(status.items(.wake).first?[.reason] == "operator")
    #expect(try peer.ask("foreground name=sleep").last[.state] == "active")
    #expect(try peer.ask("background name=sleep").isOK)
    try daemon.waitFrozen("sleep")
  }

  @Test func `quit asks one that is awake by SIGTERM`() throws {
    let (here, there) = try UnixSocket.pair()
    let script = "trap 'exit 4' TERM; echo up; while :; do sleep 1000 & wait $!; done"
    try peer.run(["sh", "-c", script], output: there.raw)
    try Lines(of: here.raw).read("up")
    #expect(try peer.ask("quit name=sh").isOK)
    #expect(try peer.notice(.exited)[.status] == "4")
  }

  @Test func `a signal for one that sleeps wakes it first`() throws {
    try peer.run(["sleep", "1000"])
    try peer.ask("suspend name=sleep")
    try peer.waitState("sleep", "suspended")
    #expect(try peer.ask("signal name=sleep number=1").isOK)
    #expect(try peer.notice(.exited)[.signal] == "1")
  }

  @Test func `closing the connection hangs the command up`() throws {
    let (here, there) = try UnixSocket.pair()
    let traps = "trap 'echo hup' HUP; trap 'echo term; exit' TERM"
    let script = "\(traps); echo up; while :; do sleep 1000 & wait $!; done"
    try peer.run(["sh", "-c", script], output: there.raw)
    there.close()
    let lines = Lines(of: here.raw)
    try lines.read("up")
    peer.close()
    try lines.read("hup")
    try lines.read("term")
  }

  @Test func `a detached command outlives the connection; who attaches is told of its end`() throws {
    try peer.run(["sleep", "1000"], "detach")
    peer.close()
    let other = try daemon.connect()
    let attached = try other.ask("attach name=sleep")
    #expect(attached.last[.name] == "sleep")
    #expect(try attached.last.integer(.pid) > 1)
    try other.ask("signal name=sleep number=9")
    #expect(try other.notice(.exited)[.signal] == "9")
  }

  @Test func `children stay in the program; it ends with the last of them`() throws {
    try peer.run(["sh", "-c", "sleep 1000 & exit 5"], "name=parent")
    #expect(try peer.notice(.exited)[.status] == "5")
    #expect(try peer.ask("status name=parent").isOK)
    try peer.ask("suspend name=parent")
    try daemon.waitFrozen("parent")
    try peer.ask("quit name=parent")
    try eventually("the program did not end") { try peer.ask("status").items(.program).isEmpty }
  }
}
