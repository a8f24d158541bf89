import LullChannel
import LullEngine
import LullInspect
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// Lines of a program that is the test's own process, so nothing is frozen.
@Suite(.bounded) struct WakeSourcesTests {
  private let reactor: DaemonReactor
  private let releases: ReleaseQueue
  private let sources: WakeSources
  private let app = AppID(slot: 3, generation: 1)
  private let owner: DescriptorBox

  init() throws {
    reactor = try DaemonReactor()
    releases = ReleaseQueue(reactor)
    sources = WakeSources(reactor, closer: Closer(), releases: releases, journal: Journal())
    owner = DescriptorBox(try Process.pidfdOpen(Identity.pid()))
  }

  private func hold(_ raw: Int32, as line: UInt32, _ offload: Offload = []) throws {
    sources.hold(
      Request.Hold(descriptor: raw, offload: offload), of: owner, identity: try FileIdentity.of(raw),
      description: Socket.describe(raw), as: LineID(line), in: app)
  }

  /// Arms every line; returns the events that came meanwhile.
  private func arm() throws -> [Event] {
    sources.beginArming(of: app, WatchPlan(), nil)
    while true {
      switch try sources.armNext(of: app) {
      case .goesOn(let lost): if !lost.isEmpty { return lost }
      case .ready(let ready): return ready
      case .done: return []
      }
    }
  }

  /// The lines that are ready now, or that become so.
  private func readyLines(timeout: Int32 = patience) throws -> [Slot] {
    try reactor.wait(timeoutMilliseconds: timeout)
    return reactor.events.compactMap { place in
      guard case .line(let line)? = reactor[place]?.source else { return nil }
      return line
    }
  }

  private func tcp() throws -> (client: DescriptorBox, server: DescriptorBox) {
    let listener = DescriptorBox(try Socket.listen(.loopback()))
    let client = DescriptorBox(try Socket.connectNonBlocking(Socket.localAddress(listener.raw)))
    try ready(listener.raw, .readable, "no connection came")
    return (client, try box(Socket.accept(from: listener.raw)))
  }

  @Test func `a datagram names its line and its sender, and old slots find nothing`() throws {
    let phone = DescriptorBox(try Socket.bindDatagram(.loopback()))
    let peer = DescriptorBox(try Socket.bindDatagram(.loopback()))
    try hold(phone.raw, as: 1)
    #expect(try arm().isEmpty)
    _ = try Socket.sendDatagram(peer.raw, [1], to: Socket.localAddress(phone.raw))
    let line = try #require(try readyLines().first)
    let woken = try #require(sources.program(wokenBy: line))
    #expect(woken.id == app)
    #expect(woken.isDatagram)
    let event = sources.ready(line, .readable, isThawed: false)
    guard case .ready(app, LineID(1), .data)? = event else {
      return #expect(Bool(false), "\(String(describing: event))")
    }
    #expect(sources.wake(of: app).peer == "\(try Socket.localAddress(peer.raw))")
    sources.drop(LineID(1), of: app)
    releases.letGo()
    #expect(reactor.count == 0)
    #expect(sources.program(wokenBy: line) == nil)
    #expect(sources.ready(line, .readable, isThawed: false) == nil)
  }

  @Test func `how long data waited counts from the readiness to the thaw, once`() throws {
    let phone = DescriptorBox(try Socket.bindDatagram(.loopback()))
    try hold(phone.raw, as: 1)
    #expect(try arm().isEmpty)
    sources.thawed(app, after: 5_000_000)
    #expect(sources.wake(of: app).waitedMicroseconds == nil)
    _ = try Socket.sendDatagram(phone.raw, [1], to: Socket.localAddress(phone.raw))
    let line = try #require(try readyLines().first)
    _ = sources.ready(line, .readable, isThawed: false)
    sources.thawed(app, after: 5_000_000)
    sources.thawed(app, after: 9_000_000)
    #expect(sources.wake(of: app).waitedMicroseconds == 5000)
    sources.wokenWithoutLine(app)
    #expect(sources.wake(of: app).waitedMicroseconds == nil)
  }

  @Test func `what came before the lines were armed is told at once`() throws {
    let (client, server) = try tcp()
    try hold(client.raw, as: 1)
    #expect(try Socket.write(server.raw, [1]) == .sent(1))
    try ready(client.raw, .readable, "the byte did not come")
    guard case .ready(app, LineID(1), .data)? = try arm().first else {
      return #expect(Bool(false), "nothing was told")
    }
  }

  @Test func `a line whose number was closed or given away is lost`() throws {
    let (client, server) = try tcp()
    try hold(client.raw, as: 1)
    client.close()
    server.close()
    guard case .lineLost(app, LineID(1))? = try arm().first else {
      return #expect(Bool(false), "the line was not lost")
    }
    #expect(!sources.hasLines(app))
  }

  @Test func `what was released wakes nobody, and its peer sees the close`() throws {
    let (client, server) = try tcp()
    try hold(client.raw, as: 1)
    #expect(try arm().isEmpty)
    sources.release(app)
    releases.letGo()
    client.close()
    let readiness = try Socket.poll(server.raw, .readHangUp, timeoutMilliseconds: patience)
    #expect(readiness.contains(.readHangUp))
    #expect(try readyLines(timeout: 0).isEmpty)
    #expect(reactor.count == 0)
  }

  @Test func `a ping is answered and the line is watched again`() throws {
    let (client, server) = try tcp()
    try hold(client.raw, as: 1, .line)
    #expect(try arm().isEmpty)
    var buffer = ReceiveBuffer(capacity: 64)
    for _ in 0..<2 {
      #expect(try Socket.write(server.raw, Array("ping\n".utf8)) == .sent(5))
      let line = try #require(try readyLines().first)
      guard case .ready(app, LineID(1), .ping)? = sources.ready(line, .readable, isThawed: false) else {
        return #expect(Bool(false), "no ping")
      }
      guard case .answered? = sources.answerPing(LineID(1), of: app) else {
        return #expect(Bool(false), "no answer")
      }
      try ready(server.raw, .readable, "no pong came")
      _ = try Socket.read(server.raw, into: &buffer)
      #expect(Array(buffer.received) == Array("pong\n".utf8))
    }
    #expect(sources.answerPing(LineID(2), of: app) == nil)
  }

  @Test func `a ping is left for the program while its own bytes wait to be sent`() throws {
    let (client, server) = try tcp()
    try hold(client.raw, as: 1, .line)
    #expect(try arm().isEmpty)
    let block = [UInt8](repeating: 0, count: 1 << 16)
    while case .sent = try Socket.write(client.raw, block) {}
    #expect(try Socket.write(server.raw, Array("ping\n".utf8)) == .sent(5))
    try ready(client.raw, .readable, "the ping did not come")
    guard case .unanswered? = sources.answerPing(LineID(1), of: app) else {
      return #expect(Bool(false), "it was answered")
    }
    #expect(try Socket.unreadBytes(client.raw) == 5)
  }

  @Test func `lines are shown in pages, in the order of their ids`() throws {
    let raws = try (0..<3).map { _ in DescriptorBox(try Socket.bindDatagram(.loopback())) }
    for (index, raw) in raws.enumerated() { try hold(raw.raw, as: UInt32(3 - index)) }
    let page = try #require(sources.page(of: app, after: nil, atMost: 2, endsAtSet: true))
    #expect(page.views.map(\.id) == [LineID(1), LineID(2)])
    let rest = try #require(sources.page(of: app, after: page.last, atMost: 2, endsAtSet: true))
    #expect(rest.views.map(\.id) == [LineID(3)])
    #expect(sources.page(of: app, after: rest.last, atMost: 2, endsAtSet: true) == nil)
    #expect(sources.hasLine(LineID(2), of: app))
    #expect(!sources.hasLine(LineID(4), of: app))
    sources.forget(app)
    #expect(!sources.hasLines(app))
  }
}
