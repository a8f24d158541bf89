import LullChannel
import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// A daemon that takes over from one that died; the test is its guard.
@Suite(.bounded) struct RestoreTests {
  private func sleeper() throws -> (Child, Message) {
    let child = try Child(SpawnRequest(["sleep", "1000"]))
    let message = Message("restore").adding(.name, "sleep").adding(.pid, child.pid)
      .adding(.managed, "command").adding(.suspender, "signal").adding(.run, "run modes=voip")
      .adding(.text, "sleep 1000")
    return (child, message)
  }

  @Test func `commands of the daemon before it are managed on`() throws {
    let (child, message) = try sleeper()
    let daemon = try DaemonProcess(restoring: [(message, child.pidfd)])
    let peer = try daemon.connect()
    let item = try peer.ask("status").items(.program).first
    #expect(item?[.name] == "sleep")
    #expect(item?[.modes] == "voip")
    #expect(item?[.managed] == "command")
    #expect(try peer.ask("attach name=sleep").last[.pid] == "\(child.pid)")
  }

  @Test func `the end of a command is told, and its status is read from the kernel`() throws {
    let (child, message) = try sleeper()
    let daemon = try DaemonProcess(restoring: [(message, child.pidfd)])
    let peer = try daemon.connect()
    try peer.ask("attach name=sleep")
    try child.signal(Signal.kill)
    let exited = try peer.notice(.exited)
    #expect(exited[.name] == "sleep")
    #expect(exited[.signal] == "9")
    #expect(try peer.ask("status").items(.program).isEmpty)
  }

  @Test func `a command that ends while the guard still tells is noticed before any client is served`() throws
  {
    let (child, message) = try sleeper()
    let daemon = try DaemonProcess(restoring: [(message, child.pidfd)], begins: false)
    #expect(try [daemon.told(), daemon.told()].map(\.message.verb) == ["store", "restored"])
    try child.signal(Signal.kill)
    #expect(try daemon.told().message == Message(GuardVerb.forget).adding(.name, "sleep"))
    daemon.link.tell(Message(GuardVerb.begin))
    let log = try daemon.connect().ask("log").items(.entry)
    #expect(log.contains { $0[.program] == "sleep" })
    #expect(log.last?[.what] == "started")
  }

  @Test func `a command that ended while no daemon ran is gone`() throws {
    let (child, message) = try sleeper()
    try child.signal(Signal.kill)
    let daemon = try DaemonProcess(restoring: [(message, child.pidfd)])
    let peer = try daemon.connect()
    try eventually("it is not gone") { try peer.ask("status").items(.program).isEmpty }
  }

  /// A `run` message with every field that there is.
  private static func fullRun() throws -> Message {
    let line = try Message.parse(
      "run name=phone modes=voip,audio keepAlive=601 detach input exitsOnSuspend batchWakes=2 "
        + "wakeOn=5060,5061 ignore=7 "
        + "tcpKeepalive=120 udpKeepalive=29.5 udpKeepaliveTo=192.0.2.1:5060 linger=2 timers=60 silence=12 "
        + "schemes=sip,tel noCompact keepLines purgeable memorySignal=10 "
        + "launchReason=notification line=l url=sip:a notification=1 action=Answer returning")
    #expect(line.fields.map(\.key) == Request.fields(of: .run).map(\.key.rawValue))
    return line
  }

  @Test func `whatever run asked for is told to the guard again, and so to the daemon after this one`() throws
  {
    let (child, message) = try sleeper()
    let line = String(decoding: try Self.fullRun().encoded().dropLast(), as: UTF8.self)
    // The program's keep-alive must not be due, or it would run at once.
    let now = Clock.boottime()
    let whole = message.adding(.run, line).adding(.since, now - 1).adding(.lastRun, now).adding(
      flag: .freezeExempt)
    let daemon = try DaemonProcess(restoring: [(whole, child.pidfd)])
    let stored = try daemon.told().message
    #expect(stored.verb == "store")
    #expect(stored[.run] == line)
    #expect(try KeptProgram(stored) == KeptProgram(whole))
  }

  @Test func `a command that was taken back has the rules that it had`() throws {
    let run = try Request.Run(Self.fullRun())
    let kept = KeptProgram(
      name: "phone", pid: 7, suspender: .cgroup, command: KeptCommand(run: run, words: "phone -v"))
    let read = try #require(try KeptProgram(kept.adding(to: Message(.restore))).command)
    #expect(CommandRules(read.run, words: read.words) == CommandRules(run, words: "phone -v"))
    var before = Registration(run, name: "phone")
    before.resumes = .background
    #expect(Registration(read, name: "phone") == before)
    #expect(CommandRules(run, words: "").udpKeepAliveTo == SocketAddress(numeric: "192.0.2.1:5060"))
    #expect(before.timers == .floor(Interval(nanoseconds: 60_000_000_000)))
  }

  @Test func `nonsense from the guard is not restored`() throws {
    let (child, message) = try sleeper()
    let nameless = Message("restore").adding(.pid, child.pid).adding(.managed, "command")
    let library = message.adding(.managed, "library")
    let daemon = try DaemonProcess(
      restoring: [nameless, library].map { ($0, child.pidfd) })
    #expect(try daemon.connect().ask("status").items(.program).isEmpty)
  }
}
