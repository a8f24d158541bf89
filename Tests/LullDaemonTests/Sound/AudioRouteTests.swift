import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// `sound-route`, for a session whose program plays nothing.
@Suite(.bounded) struct AudioRouteTests {
  private let daemon: DaemonProcess
  private let boss: Peer
  private let unmanaged: Child

  init() throws {
    daemon = try DaemonProcess()
    boss = try daemon.connect()
    let (here, there) = try UnixSocket.pair()
    var request = SpawnRequest(["python3", "-c", UnmanagedClientTests.script, daemon.socket])
    request.standardInput = there.raw
    request.standardOutput = there.raw
    unmanaged = try Child(request)
    there.close()
    words = here
    try Lines(of: here.raw).read("ok session=1")
  }
  private let words: DescriptorBox

  private func device() throws -> String? { try boss.ask("status").items(.session).first?[.device] }

  @Test func `its sessions are on the device that was chosen, and the journal says so`() throws {
    #expect(try device() == "default")
    #expect(try boss.ask("sound-route name=python3 device=hw:7").last[.count] == "1")
    #expect(try device() == "hw:7")
    let entry = try boss.ask("log").items(.entry).last { $0[.what] == "sound-route" }
    #expect(entry?[.program] == "python3" && entry?[.detail] == "hw:7" && entry?[.cause] == "play")
    #expect(try boss.ask("sound-route name=python3 device=default session=1").last[.count] == "1")
    try eventually("it is not on the usual device") { try device() == "default" }
  }

  @Test func `what it captures is chosen apart from what it plays`() throws {
    #expect(try boss.ask("sound-route name=python3 device=hw:7 direction=capture").last[.count] == "0")
    #expect(try device() == "default")
  }

  @Test(arguments: [
    ("name=nobody device=hw:1", "no-such-program"), ("name=python3 device=hw:1 session=9", "no-such-session"),
    ("name=python3 device=\"a b\"", "bad-value"), ("name=python3", "missing-field"),
    ("name=python3 device=file:x", "bad-value"),
    ("name=python3 device=hw:1 session=1 direction=play", "bad-value"),
  ])
  func `what cannot be is refused`(fields: String, code: String) throws {
    #expect(try boss.ask("sound-route \(fields)").last[.code] == code)
  }
}
