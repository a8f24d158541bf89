import LullChannel
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// Installed programs under a real daemon, whose keepers start them.
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

  /// A folder for commands.
  private let tools: TemporaryDirectory

  init() throws { tools = try TemporaryDirectory() }

  private static let sleeper = "-- sleep 1000\n"

  private func item(_ peer: Peer, _ name: String = "phone") throws -> Message {
    try #require(try peer.ask("installed name=\(name)").items(.installed).first)
  }

  @Test func `a command that is missing is told once, and started when it is there`() throws {
    let command = "\(tools.path)/bin/tool"
    let daemon = try DaemonProcess(installed: ["phone": "-- \(command) 1000\n"])
    let (reader, boss) = (try Reader(daemon), try daemon.connect())
    let told = try #require(try reader.next("launch-failed")[.detail])
    #expect(told.hasPrefix("\(daemon.programFolder)/phone:1: \(command): no such command"), "\(told)")
    let phone = try item(boss)
    #expect(phone[.state] == "misconfigured" && phone[.cause] == "boot" && phone[.restarts] == nil)
    #expect(phone[.text] == told && phone[.dueInSeconds] == nil)
    try Files.makeDirectories("\(tools.path)/bin")
    let found = try CommandPath.find("sleep", in: nil)
    let link = try ConnectedChild(["ln", "-s", found, command])
    #expect(try link.end() == .exited(0))
    _ = try reader.next("registered")
    #expect(try item(boss)[.state] == "running")
    #expect(try item(boss)[.cause] == "boot")
  }

  @Test func `an error in a file is no crash, and is tried again when the file changes`() throws {
    let daemon = try DaemonProcess(installed: ["phone": "--keepalive 600\n\(Self.sleeper)"])
    let (reader, boss) = (try Reader(daemon), try daemon.connect())
    let told = try #require(try reader.next("launch-failed")[.detail])
    #expect(told.hasPrefix("\(daemon.programFolder)/phone:1: --keepalive: no such option"), "\(told)")
    #expect(try item(boss)[.state] == "misconfigured")
    let path = "\(daemon.programFolder)/phone"
    try Files.replace(path, with: Array("--mode nonsense\n\(Self.sleeper)".utf8))
    #expect(try reader.next("launch-failed")[.detail]?.contains("nonsense") == true)
    try Files.replace(path, with: Array(Self.sleeper.utf8))
    _ = try reader.next("registered")
    #expect(try item(boss)[.state] == "running")
    // One that does not run is quit all the same.
    try Files.replace("\(daemon.programFolder)/tea", with: Array("-- /no/such/file\n".utf8))
    _ = try item(boss, "tea")
    #expect(try boss.ask("installed name=tea start").isOK)
    _ = try reader.next("launch-failed", of: "tea")
    #expect(try boss.ask("quit name=tea").isOK)
    _ = try boss.laterNotice(.ended)
    #expect(try item(boss, "tea")[.state] == "quit")
  }
}
