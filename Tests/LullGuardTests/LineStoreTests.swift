import LullChannel
import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullGuard

@Suite(.bounded) struct LineStoreTests {
  private let guardEnd: MessageChannel
  private let daemonEnd: MessageChannel

  init() throws {
    let (one, other) = try UnixSocket.pair()
    (guardEnd, daemonEnd) = (MessageChannel(guardLink: one), MessageChannel(guardLink: other))
  }

  private func line(_ number: UInt32, waiting: Bool = false) -> Message {
    KeptLine(id: LineID(number), program: "p", isWaiting: waiting).adding(to: Message(.keepLine))
  }

  private func keep(_ message: Message, in store: LineStore) throws -> Bool {
    store.keep(message, DescriptorBox(try EventDescriptor.duplicate()))
  }

  /// The next daemon gets these.
  private func handed(_ store: LineStore, _ count: Int) throws -> [KeptLine] {
    store.restore(over: guardEnd)
    guardEnd.tell(Message(.begin))
    var buffer = ReceiveBuffer(capacity: 4096)
    var all: [KeptLine] = []
    while true {
      while let (message, descriptor) = daemonEnd.nextMessage() {
        guard message.verb == GuardVerb.keepLine.rawValue else { return all }
        #expect(descriptor != nil)
        all.append(try KeptLine(message))
      }
      try ready(daemonEnd.socket.raw, .readable, "the guard said nothing")
      _ = daemonEnd.receive(into: &buffer)
    }
  }

  @Test func `the next daemon gets each line as it was told last, with its descriptor`() throws {
    let store = LineStore(capacity: 8)
    for message in [line(1), line(2), line(1, waiting: true)] { #expect(try keep(message, in: store)) }
    store.drop(Message(.dropLine).adding(.line, 2))
    #expect(try handed(store, 1) == [KeptLine(id: LineID(1), program: "p", isWaiting: true)])
  }

  @Test func `a full store says so, and takes another one when there is room`() throws {
    let store = LineStore(capacity: 1)
    #expect(try keep(line(1), in: store))
    #expect(try !keep(line(2), in: store))
    store.drop(Message(.dropLine).adding(.line, 1))
    #expect(try keep(line(2), in: store))
  }

  @Test func `what is told anew replaces the rest only when all has been told`() throws {
    let store = LineStore(capacity: 8)
    for number: UInt32 in 1...3 { _ = try keep(line(number), in: store) }
    store.beginAnew()
    _ = try keep(line(2), in: store)
    // A daemon that dies here has lost nothing.
    #expect(try handed(store, 3).map(\.id.number) == [1, 2, 3])
    store.drop(Message(.dropLine))
    #expect(try handed(store, 1).map(\.id.number) == [2])
  }

  @Test func `a daemon that dies of them again and again gets them no longer`() throws {
    let (store, policy) = (LineStore(capacity: 8), SupervisionPolicy())
    _ = try keep(line(1), in: store)
    for _ in 1..<2 * policy.maximumDeaths { store.daemonDied(after: 0, policy) }
    #expect(try handed(store, 1).count == 1)
    store.daemonDied(after: 0, policy)
    #expect(try handed(store, 0).isEmpty)
  }
}

extension EventDescriptor {
  fileprivate static func duplicate() throws -> Descriptor {
    let event = try EventDescriptor()
    return try .duplicating(event.raw)
  }
}
