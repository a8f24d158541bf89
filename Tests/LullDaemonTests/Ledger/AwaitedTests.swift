import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// Programs on the library that run, and that the daemon before this one has managed.
@Suite(.bounded) struct AwaitedTests {
  /// The program `phone` of a process, as a daemon that was killed has left it.
  private func daemon(leftWith pid: Int32, as command: CommandEntry? = nil) throws -> DaemonProcess {
    try DaemonProcess(ledger: [.began(isAfterFault: false), .program(try entry(pid, as: command))])
  }

  private func entry(_ pid: Int32, as command: CommandEntry? = nil) throws -> ProgramEntry {
    ProgramEntry(
      name: "phone", process: try ProcessIdentity.current(pid), suspension: .signal, command: command)
  }

  /// One that `lull run` has started, or that is installed.
  private static let command = CommandEntry(run: "run name=phone text=nc", words: "nc", speaks: true)

  /// A process that connects to the control socket whose path it is told.
  private func phone() throws -> Peer {
    try Peer(running: ["sh", "-c", "read -r path; exec nc -U \"$path\""])
  }

  /// Sends a request that is held, as a later answer to somebody else shows.
  private func say(_ request: String = "quit name=phone", to daemon: DaemonProcess) throws -> Peer {
    let boss = try daemon.connect()
    try boss.ask("hello")
    try boss.say("\(request)\n")
    try daemon.connect().ask("hello")
    #expect(try readyNow(boss.raw, .readable).isEmpty)
    return boss
  }

  @Test func `the end of one that has not registered is noted and told once`() throws {
    let child = try Child(SpawnRequest(["sleep", "1000"]))
    let daemon = try daemon(leftWith: child.pid)
    let boss = try daemon.connect()
    try boss.ask("hello")
    try child.signal(Signal.kill)
    try eventually("the end is not noted") { try !daemon.ledger().ends.isEmpty }
    // Until here nobody takes the status, so that the daemon can read it.
    try child.end()
    let ledger = try daemon.ledger()
    #expect(ledger.program("phone") == nil)
    #expect(ledger.ends.map(\.status) == [.signaled(Signal.kill)])
    let told = try boss.ask("log name=phone").items(.entry).filter { $0[.what] == Journal.Entry.exited }
    #expect(told.count == 1)
  }

  @Test(arguments: [(Signal.kill, "waiting", "crash"), (Signal.terminate, "ended", "user")])
  func `an installed one that ends instead of registering has crashed, or has ended`(
    signal: Int32, state: String, cause: String
  ) throws {
    let child = try Child(SpawnRequest(["sleep", "1000"]))
    let installed = InstalledEntry(name: "phone", state: .running, cause: .user)
    let daemon = try DaemonProcess(
      installed: ["phone": "-- sleep 1000\n"],
      ledger: [.began(isAfterFault: false), .installed(installed), .program(try entry(child.pid))])
    let boss = try daemon.connect()
    try boss.ask("hello")
    try child.signal(signal)
    try eventually("the end is not noted") { try !daemon.ledger().ends.isEmpty }
    let item = try #require(try boss.ask("installed name=phone").items(.installed).first)
    #expect(item[.state] == state && item[.cause] == cause, "\(item)")
    try child.end()
  }

  @Test func `a quit waits until it has registered, and ends it`() throws {
    let phone = try phone()
    let daemon = try daemon(leftWith: try phone.process.pid)
    let boss = try say(to: daemon)
    try phone.say("\(daemon.socket)\n")
    #expect(try phone.ask("register name=phone modes=voip").isOK)
    let answer = try boss.response()
    #expect(answer.isOK && answer.last[.remainingSeconds] != nil)
    try phone.process.signal(Signal.kill)
    #expect(try boss.notice(.ended)[.name] == "phone")
    #expect(try boss.ask("hello").isOK)
    #expect(try daemon.ledger().ends.map(\.reason?.known) == [.quit])
  }

  @Test(
    arguments: [
      "why name=phone", "status name=phone", "lines name=phone", "wake name=phone", "open url=tel:1",
      "open url=tel:1 name=phone", "signal name=phone number=28", "foreground name=phone",
    ], [nil, Self.command])
  func `whatever is asked about it waits until it has registered`(
    request: String, command: CommandEntry?
  ) throws {
    let phone = try phone()
    let daemon = try daemon(leftWith: try phone.process.pid, as: command)
    let boss = try say(request, to: daemon)
    try phone.say("\(daemon.socket)\n")
    #expect(try phone.ask("register name=phone modes=voip schemes=tel").isOK)
    let answer = try boss.response()
    #expect(answer.isOK, "\(answer)")
  }

  @Test func `what is asked of all, and of others, is answered at once`() throws {
    let child = try Child(SpawnRequest(["sleep", "1000"]))
    let daemon = try daemon(leftWith: child.pid)
    let boss = try daemon.connect()
    #expect(
      try boss.ask("status").isOK && boss.ask("notifications").isOK
        && boss.ask("log name=phone").last.verb != "")
    #expect(try boss.ask("why name=radio").code == .noSuchProgram)
    #expect(try boss.ask("open url=tel:1 name=radio").code == .noSuchProgram)
  }

  @Test func `a quit waits until it has ended, and says that it does not run`() throws {
    let child = try Child(SpawnRequest(["sleep", "1000"]))
    let daemon = try daemon(leftWith: child.pid)
    let boss = try say(to: daemon)
    try child.signal(Signal.kill)
    #expect(try boss.response().code == .noSuchProgram)
    #expect(try boss.ask("hello").isOK)
  }

  @Test func `its name is taken until it has registered`() throws {
    let phone = try phone()
    let daemon = try daemon(leftWith: try phone.process.pid)
    let other = try self.phone()
    try other.say("\(daemon.socket)\n")
    #expect(try other.ask("register name=phone modes=voip").code == .nameInUse)
    try phone.say("\(daemon.socket)\n")
    #expect(try phone.ask("register name=phone modes=voip").isOK)
    #expect(try other.ask("register name=radio modes=voip").isOK)
  }

  @Test func `the end of the daemon and its programs waits for it`() throws {
    let phone = try phone()
    let daemon = try daemon(leftWith: try phone.process.pid)
    let boss = try daemon.connect()
    #expect(try boss.ask("stop-daemon programs").isOK)
    try phone.say("\(daemon.socket)\n")
    #expect(try phone.ask("register name=phone modes=voip").isOK)
    try phone.process.signal(Signal.kill)
    #expect(try boss.isEnded())
    #expect(try daemon.ledger().ends.map(\.reason?.known) == [.stoppedWithDaemon])
  }

  @Test func `a request waits for the one that it is about, and not for ever`() throws {
    let services = try SharedServices(DaemonOptions())
    let awaited = Awaited(services)
    let child = try Child(SpawnRequest(["sleep", "1000"]))
    let entry = try entry(child.pid)
    #expect(try awaited.wait(for: entry))
    #expect(awaited.holds("phone") && awaited.holds("phone", pid: child.pid) && !awaited.holds("radio"))
    #expect(!awaited.holds("phone", pid: child.pid + 1))
    awaited.hold(.purge(name: "phone"), from: Slot(index: 1, generation: 1), at: 7)
    let until = try #require(awaited.deadline)
    #expect(until == 7 + Policy().returnTime.nanoseconds)
    #expect(awaited.takeHeld(at: until - 1) { _ in true }?.request == nil)
    #expect(awaited.takeHeld(at: until) { _ in true }?.request == .purge(name: "phone"))
    awaited.hold(.purge(name: "phone"), from: Slot(index: 1, generation: 1), at: 7)
    #expect(awaited.take(entry.process, name: "radio")?.entry == nil)
    #expect(awaited.take(entry.process, name: "phone")?.entry == entry)
    #expect(awaited.isEmpty && awaited.takeHeld(at: 8) { _ in false }?.request == .purge(name: "phone"))
    #expect(awaited.deadline == nil)
  }

  @Test func `one that has ended before it is watched is not waited for`() throws {
    let awaited = Awaited(try SharedServices(DaemonOptions()))
    let child = try Child(SpawnRequest(["true"]))
    var entry = try entry(child.pid)
    try child.end()
    #expect(try !awaited.wait(for: entry))
    entry.process.pid = 1
    #expect(try !awaited.wait(for: entry))
    #expect(awaited.isEmpty)
  }
}
