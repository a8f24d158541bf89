import LullEngine
import LullSystem
import LullWire
import Testing

@testable import LullDaemon

/// A line that stands for an epoll set of this very process.
@Suite struct MembersTests {
  private func line(_ raw: Int32, _ program: Program) throws -> HeldLine {
    let set = EpollSet(
      number: raw, pid: Identity.pid(), duplicate: DescriptorBox(try Descriptor.duplicating(raw)))
    return HeldLine(
      id: LineID(7), number: raw, owner: DescriptorBox(try Process.pidfdOpen(Identity.pid())),
      identity: try FileIdentity.of(raw), description: LineDescription(set: raw), kind: .voip, offload: [],
      slot: 0, generation: 0, program: program, set: set)
  }

  private func program() throws -> Program {
    let pidfd = DescriptorBox(try Process.pidfdOpen(Identity.pid()))
    let tree = ProcessTree(leader: Identity.pid(), pidfd, .outside, ProcessTable(directory: "/nonexistent"))
    return Program(
      id: AppID(slot: 0, generation: 0), name: "web", isCommand: true,
      suspender: .signal(tree, why: ""),
      cgroupPath: nil, pid: Identity.pid(), pidfd: pidfd,
      mayTakeDescriptors: true)
  }

  @Test func `each descriptor of a set is told as a line, while it is open`() throws {
    let epoll = try Epoll()
    let program = try program()
    let line = try line(epoll.raw, program)
    #expect(line.isSet)
    #expect(line.members() == [])
    let listener = DescriptorBox(try Socket.listen(.loopback()))
    let datagrams = DescriptorBox(try Socket.bindDatagram(.loopback()))
    for raw in [listener.raw, datagrams.raw] { try epoll.add(raw, token: 1, interest: .readable) }
    #expect(Set(line.members()) == [listener.raw, datagrams.raw])
    let item = try #require(line.item(ofMember: datagrams.raw, of: program))
    #expect(item[.line] == "udp")
    #expect(item[.local] == "\(try Socket.localAddress(datagrams.raw))")
    #expect(item[.fd] == "\(datagrams.raw)")
    #expect(item[.id] == "7")
    #expect(item[.program] == "web")
    #expect(line.item(ofMember: listener.raw, of: program)?[.line] == "tcp-listen")
    #expect(line.item(ofMember: Int32.max, of: program) == nil)
  }

  @Test func `what is no set has no members`() throws {
    let counter = try EventDescriptor()
    let program = try program()
    let line = HeldLine(
      id: LineID(7), number: counter.raw, owner: DescriptorBox(try Process.pidfdOpen(Identity.pid())),
      identity: try FileIdentity.of(counter.raw), description: Socket.describe(counter.raw), kind: .voip,
      offload: [], slot: 0, generation: 0, program: program)
    #expect(!line.isSet)
    #expect(line.members() == [])
  }
}
