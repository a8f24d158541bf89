import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// Lines, held by the test's own process, which must never be frozen. So the daemon works with signals and
/// the program stays in the foreground, where it resumes without a launch and its limits.
@Suite(.bounded) struct LineConversationTests {
  private let daemon: DaemonProcess
  private let boss: Peer
  private let program: Peer

  init() throws {
    daemon = try DaemonProcess(hasCgroups: false)
    boss = try daemon.connect()
    #expect(try boss.ask("hello").last[.identity] == "operator")
    program = try daemon.connect()
    #expect(try program.ask("register name=test modes=voip resume=active").last[.state] == "active")
  }

  private func tcp() throws -> (client: DescriptorBox, server: DescriptorBox, listener: DescriptorBox) {
    let listener = DescriptorBox(try Socket.listen(.loopback()))
    let client = DescriptorBox(try Socket.connectNonBlocking(Socket.localAddress(listener.raw)))
    try ready(listener.raw, .readable, "no connection came")
    return (client, try box(Socket.accept(from: listener.raw)), listener)
  }

  @Test func `without cgroups the daemon says that it stops programs by signal, and why`() throws {
    #expect(try boss.ask("hello").last[.suspender] == "signal")
    let remark = try boss.ask("why name=test").items(.remark).first?[.text]
    #expect(remark?.hasPrefix("suspended by SIGSTOP: ") == true)
    let freezer = try #require(try boss.ask("doctor").items(.check).first)
    #expect(freezer[.result] == "limited")
    #expect(freezer[.mend]?.isEmpty == false)
  }

  @Test func `a TCP connection is held, listed and released`() throws {
    let (client, server, _) = try tcp()
    let held = try program.ask("hold fd=\(client.raw) offload=line tcpKeepalive=60", descriptor: client.raw)
      .last
    #expect(held[.line] == "1")
    #expect(held[.kind] == "tcp")
    #expect(held[.local] == "\(try Socket.localAddress(client.raw))")
    #expect(held[.peer] == "\(try Socket.localAddress(server.raw))")
    #expect(try Socket.write(server.raw, Array("abc".utf8)) == .sent(3))
    try ready(client.raw, .readable, "the bytes did not come")
    let item = try #require(try boss.ask("lines name=test").items(.line).first)
    #expect(item[.id] == "1")
    #expect(item[.offload] == "line")
    #expect(item[.answered] == "0")
    #expect(try program.ask("release line=1").isOK)
    #expect(try program.ask("release line=1").code == .noSuchLine)
    #expect(try program.ask("release line=4294967297").code == .badValue)
    #expect(try boss.ask("lines").items.isEmpty)
  }

  @Test func `each kind of descriptor is told apart`() throws {
    let (_, _, listener) = try tcp()
    let udp = DescriptorBox(try Socket.bindDatagram(.loopback()))
    let (unix, _) = try UnixSocket.pair()
    let counter = try EventDescriptor()
    for (raw, kind) in [
      (listener.raw, "tcp-listen"), (udp.raw, "udp"), (unix.raw, "unix"), (counter.raw, "other"),
    ] {
      #expect(try program.ask("hold fd=\(raw)", descriptor: raw).last[.kind] == kind)
    }
  }

  @Test func `what cannot be watched is refused`() throws {
    let directory = try Files.openDirectory("/")
    let file = try Files.memoryFile(name: "file", [1])
    for raw in [directory.raw, file.raw] {
      #expect(try program.ask("hold fd=\(raw)", descriptor: raw).code == .notPollable)
    }
  }

  @Test func `an offload rule needs the transport that it is for`() throws {
    let (client, _, listener) = try tcp()
    let udp = DescriptorBox(try Socket.bindDatagram(.loopback()))
    for (raw, rule) in [
      (client.raw, "stun"), (client.raw, "udp-keepalive"), (udp.raw, "line"), (udp.raw, "crlf"),
      (listener.raw, "line"),
    ] {
      #expect(try program.ask("hold fd=\(raw) offload=\(rule)", descriptor: raw).code == .badValue)
    }
    #expect(try program.ask("hold fd=\(udp.raw) tcpKeepalive=60", descriptor: udp.raw).code == .badValue)
    #expect(try program.ask("hold fd=\(udp.raw) offload=stun,udp-keepalive", descriptor: udp.raw).isOK)
  }

  @Test func `a line needs its mode, and there are at most 16,384`() throws {
    let counter = try EventDescriptor()
    let raw = counter.raw
    #expect(try program.ask("hold fd=\(raw) type=accessory", descriptor: raw).code == .wrongMode)
    for _ in 0..<16_384 { #expect(try program.ask("hold fd=\(raw)", descriptor: raw).isOK) }
    let refused = try program.ask("hold fd=\(raw)", descriptor: raw)
    #expect(refused.code == .tooManyLines)
    #expect(refused.last[.message] == "at most 16384 lines in one program")
  }

  @Test func `lines end with the program`() throws {
    let counter = try EventDescriptor()
    #expect(try program.ask("hold fd=\(counter.raw)", descriptor: counter.raw).isOK)
    #expect(try program.ask("bye").isOK)
    #expect(try boss.ask("lines").items.isEmpty)
  }
}
