import LullSystem
import LullWire
import TestSupport
import Testing

/// The probes and datagrams that keep the entries of address translators alive while a program sleeps.
@Suite(.bounded) struct PathTests {
  @Test func `its UDP socket sends to the registrar every 5 s and nobody wakes`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    let box = try stage.network.inside { DescriptorBox(try Socket.bindDatagram(.loopback())) }
    let registrar = Channel(box, name: "the registrar")
    let place = try Socket.localAddress(box.raw).description
    let options = ["--udp-keepalive", "5", "--udp-keepalive-to", place]
    try stage.runToSleep("phone", Python.command(Python.datagrams, "\(port)"), options: options)
    #expect(try registrar.line() == "\r")
    #expect(try registrar.line() == "\r")
    #expect(try stage.lull.state(of: "phone") == "suspended")
    #expect(try stage.journal.entriesUpToNow().allSatisfy { $0["what"] != "woke" })
  }

  @Test func `the kernel probes its TCP connections`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    let command = try Python.command(Python.echo, "127.0.0.1", "\(port)")
    try stage.runToSleep("server", command, options: ["--tcp-keepalive", "120"])
    let peer = try stage.network.connect(to: port)
    try stage.journal.wait("woke", of: "server", cause: "accept")
    try stage.journal.waitForSleep(of: "server")
    let line = try #require(
      try stage.lull.order("lines name=server").all(.line).first { $0[.line] == "tcp" })
    let pidfd = try Process.pidfdOpen(Int32(line.integer(.pid)))
    let duplicate = try Process.getDescriptor(pidfd.raw, number: Int32(line.integer(.fd)))
    #expect(Socket.keepAliveIdle(duplicate.raw) == 120)
    #expect(Socket.keepAliveIdle(peer.box.raw) == nil)
  }
}
