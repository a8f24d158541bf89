import LullChannel
import LullEngine
import LullInspect
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// A line that stands for an epoll set of the test's own process.
@Suite(.bounded) struct MembersTests {
  private let app = AppID(slot: 0, generation: 0)
  private let sources: WakeSources

  init() throws {
    let reactor = try DaemonReactor()
    sources = WakeSources(reactor, closer: Closer(), releases: ReleaseQueue(reactor), journal: Journal())
  }

  /// A set, or a member of one, as an observation would have found it.
  private func found(_ raw: Int32, isSet: Bool = true) throws -> FoundSource {
    var facts = SetFacts()
    facts.isLarge = true
    let identity = try FileIdentity.of(raw)
    return FoundSource(
      line: nil, key: isSet ? .number(raw, of: Identity.pid()) : .file(identity), number: raw,
      pid: Identity.pid(), owner: DescriptorBox(try Process.pidfdOpen(Identity.pid())), identity: identity,
      description: isSet ? LineDescription(set: raw) : Socket.describe(raw), role: isSet ? .set : .member,
      interest: .readable, duplicate: DescriptorBox(try Descriptor.duplicating(raw)),
      facts: isSet ? facts : nil)
  }

  private var page: LinePage? { sources.page(of: app, after: nil, atMost: 8, endsAtSet: true) }

  private func program() throws -> Program {
    try testProgram("web", .command(CommandState(CommandRules(Request.Run(), words: "web"), startedAt: nil)))
  }

  @Test func `each descriptor of a set is told as a line, while it is open`() throws {
    let epoll = try Epoll()
    let line = LineID(7)
    sources.add(try found(epoll.raw), as: line, of: app)
    #expect(page?.views.first?.isSet == true)
    #expect(page?.members == [])
    let listener = DescriptorBox(try Socket.listen(.loopback()))
    let datagrams = DescriptorBox(try Socket.bindDatagram(.loopback()))
    for raw in [listener.raw, datagrams.raw] { try epoll.add(raw, token: 1, interest: .readable) }
    #expect(Set(try #require(page).members) == [listener.raw, datagrams.raw])
    let member = try #require(sources.member(datagrams.raw, of: line, app))
    let item = member.item(of: try program())
    #expect(item[.line] == "udp")
    #expect(item[.local] == "\(try Socket.localAddress(datagrams.raw))")
    #expect(item[.fd] == "\(datagrams.raw)")
    #expect(item[.id] == "7")
    #expect(item[.program] == "web")
    #expect(sources.member(listener.raw, of: line, app)?.description.kind == .tcpListen)
    #expect(sources.member(Int32.max, of: line, app) == nil)
  }

  @Test func `a descriptor that is a line itself is told once`() throws {
    let epoll = try Epoll()
    sources.add(try found(epoll.raw), as: LineID(7), of: app)
    let raws = try (0..<2).map { _ in DescriptorBox(try Socket.bindDatagram(.loopback())) }
    for raw in raws { try epoll.add(raw.raw, token: 1, interest: .readable) }
    sources.add(try found(raws[0].raw, isSet: false), as: LineID(8), of: app)
    #expect(page?.members == [raws[1].raw])
  }

  @Test func `what is no set has no members`() throws {
    let counter = try EventDescriptor()
    sources.hold(
      Request.Hold(descriptor: counter.raw), of: DescriptorBox(try Process.pidfdOpen(Identity.pid())),
      identity: try FileIdentity.of(counter.raw), description: Socket.describe(counter.raw),
      as: LineID(7), in: app)
    #expect(page?.views.first?.isSet == false)
    #expect(page?.members == [])
    #expect(sources.member(counter.raw, of: LineID(7), app) == nil)
  }
}
