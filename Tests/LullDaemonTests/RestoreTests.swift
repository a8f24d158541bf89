import LullSystem
import LullWire
import Testing

@testable import LullDaemon

/// A daemon that takes over from one that died; the test is its guard.
@Suite struct RestoreTests {
  private func sleeper() throws -> (Child, Message) {
    let child = try Child(SpawnRequest(["sleep", "1000"]))
    let message = Message("restore").adding(.name, "sleep").adding(.pid, child.pid)
      .adding(.managed, "command").adding(.modes, "voip").adding(.suspender, "signal")
    return (child, message)
  }

  @Test func `commands of the daemon before it are managed on`() throws {
    let (child, message) = try sleeper()
    let daemon = try DaemonProcess(restoring: [(message, child.descriptor)])
    let peer = try daemon.connect()
    let item = try peer.ask("status").items(.program).first
    #expect(item?[.name] == "sleep")
    #expect(item?[.modes] == "voip")
    #expect(item?[.managed] == "command")
    #expect(try peer.ask("attach name=sleep").last[.pid] == "\(child.pid)")
  }

  @Test func `the guard tells the status of a command that it reaped`() throws {
    let (child, message) = try sleeper()
    let daemon = try DaemonProcess(restoring: [(message, child.descriptor)])
    let peer = try daemon.connect()
    try peer.ask("attach name=sleep")
    daemon.link.tell(Message("reaped").adding(.pid, child.pid).adding(.status, 7))
    let exited = try peer.notice(.exited)
    #expect(exited[.name] == "sleep")
    #expect(exited[.status] == "7")
    #expect(try peer.ask("status").items(.program).isEmpty)
  }

  @Test func `a status that came while no daemon ran is told to nobody, and the program is gone`() throws {
    let (child, message) = try sleeper()
    let daemon = try DaemonProcess(restoring: [(message.adding(.signal, 9), child.descriptor)])
    #expect(try daemon.connect().ask("status").items(.program).isEmpty)
  }

  @Test(arguments: ["60", "never"])
  func `what was said of own timers is kept for the next daemon`(timers: String) throws {
    let (child, message) = try sleeper()
    let daemon = try DaemonProcess(restoring: [(message.adding(.timers, timers), child.descriptor)])
    var stored = try daemon.told().message
    // Stored without the rules first, and with them when they are known.
    while stored[.text] == nil { stored = try daemon.told().message }
    #expect(stored[.timers] == timers)
  }

  @Test func `nonsense from the guard is not restored`() throws {
    let (child, message) = try sleeper()
    let nameless = Message("restore").adding(.pid, child.pid).adding(.managed, "command")
    let library = message.adding(.managed, "library")
    let daemon = try DaemonProcess(
      restoring: [nameless, library].map { ($0, child.descriptor) })
    #expect(try daemon.connect().ask("status").items(.program).isEmpty)
  }
}
