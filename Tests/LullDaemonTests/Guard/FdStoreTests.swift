import LullChannel
import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The link between lulld and lull-guard, over a real socket pair.
@Suite(.bounded) struct FdStoreTests {
  private let guardEnd: MessageChannel
  private let daemonEnd: MessageChannel

  init() throws {
    let (one, other) = try UnixSocket.pair()
    (guardEnd, daemonEnd) = (MessageChannel(guardLink: one), MessageChannel(guardLink: other))
  }

  private func receive(_ link: MessageChannel, _ count: Int) throws -> [(Message, DescriptorBox?)] {
    var buffer = ReceiveBuffer(capacity: 4096)
    var all: [(Message, DescriptorBox?)] = []
    while all.count < count {
      try ready(link.socket.raw, .readable, "the other end said nothing")
      let came = link.receiveAll(&buffer)
      all += try #require(came, "the link ended")
    }
    return all
  }

  private func store(_ name: String, pid: Int32, _ managed: String = "command") -> Message {
    Message("store").adding(.name, name).adding(.pid, pid).adding(.managed, managed)
  }

  @Test func `messages arrive in order, each with its own descriptor`() throws {
    let one = try EventDescriptor()
    let two = try EventDescriptor()
    daemonEnd.tell(store("one", pid: 1), descriptor: try DescriptorBox(Descriptor.duplicating(one.raw)))
    daemonEnd.tell(Message("forget").adding(.name, "x"))
    daemonEnd.tell(store("two", pid: 2), descriptor: try DescriptorBox(Descriptor.duplicating(two.raw)))
    let came = try receive(guardEnd, 3)
    #expect(came.map { $0.0.verb } == ["store", "forget", "store"])
    #expect(came.map { $0.1 != nil } == [true, false, true])
    try two.signal()
    let last = try #require(came[2].1)
    let first = try #require(came[0].1)
    #expect(try Socket.poll(last.raw, .readable, timeoutMilliseconds: 0) == .readable)
    #expect(try Socket.poll(first.raw, .readable, timeoutMilliseconds: 0).isEmpty)
  }

  @Test func `the end of the other side is told`() throws {
    daemonEnd.close()
    var buffer = ReceiveBuffer(capacity: 64)
    let arrival = guardEnd.receive(into: &buffer)
    #expect(arrival == .ended(.hungUp))
  }

  @Test func `a new daemon is handed the commands; programs that registered come back by themselves`() throws
  {
    let fdStore = FdStore(capacity: 100, SupervisionPolicy())
    for (name, managed) in [("cat", "command"), ("phone", "library"), ("nc", "command")] {
      let pidfd = DescriptorBox(try Process.pidfdOpen(Identity.pid()))
      _ = fdStore.store(store(name, pid: Identity.pid(), managed), pidfd)
    }
    fdStore.restore(over: guardEnd)
    let came = try receive(daemonEnd, 3)
    #expect(came.map { $0.0.verb } == ["restore", "restore", "begin"])
    #expect(came.map { $0.0[.name] } == ["cat", "nc", nil])
    #expect(came[0].0[.managed] == "command")
    #expect(came[0].1 != nil && came[1].1 != nil)
  }

  @Test func `what was forgotten is not handed over, and a name stands once`() throws {
    let fdStore = FdStore(capacity: 100, SupervisionPolicy())
    for pid: Int32 in [10, 11] {
      _ = fdStore.store(store("cat", pid: pid), DescriptorBox(try Process.pidfdOpen(Identity.pid())))
    }
    _ = fdStore.store(store("nc", pid: 12), DescriptorBox(try Process.pidfdOpen(Identity.pid())))
    fdStore.forget(Message("forget").adding(.name, "nc"))
    fdStore.restore(over: guardEnd)
    let came = try receive(daemonEnd, 2)
    #expect(came.map { $0.0[.pid] } == ["11", nil])
  }

  @Test func `programs go before notifications, and then is said whether the guard was told of any`() throws {
    let (fdStore, kept) = (FdStore(capacity: 100, SupervisionPolicy()), NotificationStore())
    _ = fdStore.store(store("cat", pid: 10), DescriptorBox(try Process.pidfdOpen(Identity.pid())))
    kept.take(.keep, Message(.keep).adding(.notification, 1).adding(.state, "pending"))
    fdStore.restore(over: guardEnd, with: kept)
    let came = try receive(daemonEnd, 3).map(\.0)
    #expect(came.map(\.verb) == ["restore", "keep", "begin"])
    #expect(try came[2].flag(.earlier))
  }

  @Test func `a message without a name or a pid is not kept`() throws {
    let fdStore = FdStore(capacity: 100, SupervisionPolicy())
    _ = fdStore.store(Message("store").adding(.pid, 1), DescriptorBox(try Process.pidfdOpen(Identity.pid())))
    _ = fdStore.store(
      Message("store").adding(.name, "x"), DescriptorBox(try Process.pidfdOpen(Identity.pid())))
    fdStore.restore(over: guardEnd)
    #expect(try receive(daemonEnd, 1).map { $0.0.verb } == ["begin"])
  }
}
