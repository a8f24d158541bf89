import LullChannel
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullGuard

/// The link between lulld and lull-guard, over a real socket pair.
@Suite(.bounded) struct GuardLinkTests {
  private let guardEnd: MessageChannel
  private let daemonEnd: MessageChannel

  init() throws {
    let (one, other) = try UnixSocket.pair()
    (guardEnd, daemonEnd) = (MessageChannel(guardLink: one), MessageChannel(guardLink: other))
  }

  private func receive(_ count: Int) throws -> [(message: Message, descriptor: DescriptorBox?)] {
    var buffer = ReceiveBuffer(capacity: 1 << 17)
    var all: [(message: Message, descriptor: DescriptorBox?)] = []
    while all.count < count {
      if let next = guardEnd.nextMessage() {
        all.append(next)
        continue
      }
      try ready(guardEnd.socket.raw, .readable, "the other end said nothing")
      _ = guardEnd.receive(into: &buffer)
    }
    return all
  }

  @Test func `messages arrive in order, each with its own descriptor`() throws {
    let one = try EventDescriptor()
    let two = try EventDescriptor()
    daemonEnd.tell(Message(.keepLine), descriptor: try DescriptorBox(Descriptor.duplicating(one.raw)))
    daemonEnd.tell(Message(.dropLine))
    daemonEnd.tell(Message(.keepLine), descriptor: try DescriptorBox(Descriptor.duplicating(two.raw)))
    let came = try receive(3)
    #expect(came.map(\.message.verb) == ["keep-line", "drop-line", "keep-line"])
    #expect(came.map { $0.descriptor != nil } == [true, false, true])
    try two.signal()
    let (first, last) = (try #require(came[0].descriptor), try #require(came[2].descriptor))
    #expect(try Socket.poll(last.raw, .readable, timeoutMilliseconds: 0) == .readable)
    #expect(try Socket.poll(first.raw, .readable, timeoutMilliseconds: 0).isEmpty)
  }

  @Test func `the end of the other side is told`() throws {
    daemonEnd.close()
    var buffer = ReceiveBuffer(capacity: 64)
    #expect(guardEnd.receive(into: &buffer) == .ended(.hungUp))
  }

  @Test func `a text line of 64 KiB arrives whole`() throws {
    let text = String(repeating: "\u{1}", count: 10_000)
    daemonEnd.tell(Message(.keepLine).adding(.text, text))
    #expect(try receive(1)[0].message[.text] == text)
  }
}
