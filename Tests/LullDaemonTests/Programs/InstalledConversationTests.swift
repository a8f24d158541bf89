import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// Installed programs under a real daemon, which starts them by `lull start`.
@Suite(.bounded) struct InstalledConversationTests {
  /// An operator that reads the journal from its start on.
  private final class Reader {
    let peer: Peer
    private var entries: [Message]

    init(_ daemon: DaemonProcess) throws {
      peer = try daemon.connect()
      entries = try peer.ask("log follow last=100").items(.entry)
    }

    /// The next entry `what` of a program.
    func next(_ what: String, of name: String = "phone") throws -> Message {
      while true {
        let entry = entries.isEmpty ? try peer.laterNotice(.entry) : entries.removeFirst()
        if entry[.what] == what, entry[.program] == name { return entry }
      }
    }
  }

  private static let sleeper = "-- sleep 1000\n"

  private func item(_ peer: Peer, _ name: String = "phone") throws -> Message {
    try #require(try peer.ask("installed name=\(name)").items(.installed).first)
  }

  @Test func `an installed program is started with the daemon, and not again once it was quit`() throws {
    let daemon = try DaemonProcess(installed: ["phone": Self.sleeper])
    let (reader, boss) = (try Reader(daemon), try daemon.connect())
    #expect(try reader.next("launched")[.cause] == "boot")
    _ = try reader.next("registered")
    #expect(try item(boss)[.state] == "running")
    #expect(try boss.ask("quit name=phone").isOK)
    _ = try boss.laterNotice(.ended)
    #expect(try item(boss)[.state] == "quit")
    #expect(try boss.ask("quit name=phone").code == .noSuchProgram)
    #expect(try boss.ask("installed name=phone start").isOK)
    #expect(try reader.next("registered")[.program] == "phone")
    #expect(try item(boss)[.state] == "running")
  }

  @Test func `one that crashes is started again, and why says so`() throws {
    let daemon = try DaemonProcess(installed: ["phone": "-- sh -c 'exit 3'\n"])
    let (reader, boss) = (try Reader(daemon), try daemon.connect())
    #expect(try reader.next("starts-again")[.detail]?.hasPrefix("in 1 s") == true)
    #expect(try reader.next("launched")[.cause] == "crash")
    #expect(try reader.next("starts-again")[.detail]?.hasPrefix("in 2 s") == true)
    #expect(try reader.next("starts-again")[.detail]?.hasPrefix("in 4 s") == true)
    let phone = try item(boss)
    #expect(phone[.state] == "waiting")
    #expect(phone[.restarts] == "3")
    #expect(try phone.number(.dueInSeconds) <= 4)
    let why = try boss.ask("why name=phone").items(.remark).compactMap { $0[.text] }
    #expect(why.contains { $0.hasPrefix("has crashed 3 times in a row; started again in ") })
  }

  @Test func `a command that is missing is told, with the reason`() throws {
    let daemon = try DaemonProcess(installed: ["phone": "-- /no/such/file\n"])
    let (reader, boss) = (try Reader(daemon), try daemon.connect())
    #expect(try reader.next("launch-failed")[.detail]?.contains("/no/such/file") == true)
    _ = try reader.next("starts-again")
    let phone = try item(boss)
    #expect(phone[.state] == "failed")
    #expect(phone[.text]?.contains("/no/such/file") == true)
    // One that does not run is quit all the same.
    #expect(try boss.ask("quit name=phone").isOK)
    _ = try boss.laterNotice(.ended)
    #expect(try item(boss)[.state] == "quit")
  }

  @Test func `one that is installed while the daemon runs waits for what comes, such as a link`() throws {
    let daemon = try DaemonProcess()
    let (reader, boss) = (try Reader(daemon), try daemon.connect())
    #expect(try boss.ask("installed").items.isEmpty)
    #expect(try boss.ask("installed name=phone start").code == .noSuchProgram)
    #expect(try boss.ask("installed start").code == .missingField)
    let path = "\(daemon.programFolder)/phone"
    try Files.replace(path, with: Array("--scheme sip\n\(Self.sleeper)".utf8))
    #expect(try item(boss)[.state] == "ended")
    #expect(try boss.ask("open url=sip:bob").last[.launched] != nil)
    _ = try reader.next("registered")
    #expect(try item(boss)[.cause] == "url")
    // It has not registered, and may still hear of a second one.
    #expect(try boss.ask("open url=sip:carol").last[.launched] != nil)
    try Files.unlink(path)
    #expect(try boss.ask("installed").items.isEmpty)
    #expect(try boss.ask("status name=phone").isOK)
  }

  @Test func `a launch that was under way when the program was quit is refused`() throws {
    let daemon = try DaemonProcess(installed: ["phone": Self.sleeper])
    let (reader, boss) = (try Reader(daemon), try daemon.connect())
    _ = try reader.next("registered")
    try boss.ask("quit name=phone")
    _ = try boss.laterNotice(.ended)
    let command = try Files.memoryFile(name: "command", Array("sleep\01000\0".utf8))
    #expect(try boss.ask("command arguments=2", descriptor: command.raw).isOK)
    let refused = try boss.ask("run name=phone launchReason=boot detach")
    #expect(refused.code == .refused)
    #expect(refused.last[.message]?.contains("was quit") == true)
  }
}
