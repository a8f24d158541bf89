import LullChannel
import LullSystem
import LullWire
import TestSupport
import Testing

@Suite(.bounded) struct WatchingTests {
  private func turn(_ reactor: Reactor<String>, _ ends: Ends) throws {
    try reactor.wait(timeoutMilliseconds: 5000)
    for place in reactor.events {
      guard let event = reactor[place] else { continue }
      ends.channel.handle(event.readiness)
    }
    try ends.channel.updateInterest(in: reactor)
  }

  @Test func `room is watched for while something waits for it, and only then`() throws {
    let ends = try Ends()
    let reactor = try Reactor<String>()
    try ends.channel.watch(in: reactor, as: "channel")
    try reactor.wait(timeoutMilliseconds: 0)
    #expect(reactor.events.isEmpty)
    ends.fill()
    #expect(!ends.channel.awaitsRoom)
    try ends.channel.updateInterest(in: reactor)
    #expect(ends.channel.awaitsRoom)
    while !ends.channel.isDone {
      _ = try ends.read()
      try turn(reactor, ends)
    }
    try reactor.wait(timeoutMilliseconds: 0)
    #expect(reactor.events.isEmpty)
  }

  @Test func `an end that was heard is not told again`() throws {
    let ends = try Ends()
    let reactor = try Reactor<String>()
    try ends.channel.watch(in: reactor, as: "channel")
    let peer = MessageChannel(ends.peer, overload: .dropPeer)
    peer.tell(Message("bye"))
    try reactor.wait(timeoutMilliseconds: 5000)
    #expect(reactor[0]?.readiness.contains(.readable) == true)
    #expect(ends.hear() == ["bye"])
    peer.close()
    try reactor.wait(timeoutMilliseconds: 5000)
    #expect(ends.hear() == ["hungUp"])
    ends.channel.unwatch(in: reactor)
    try reactor.wait(timeoutMilliseconds: 0)
    #expect(reactor.events.isEmpty)
  }

  @Test func `a channel can be taken out and watched again`() throws {
    let ends = try Ends()
    let reactor = try Reactor<String>()
    try ends.channel.watch(in: reactor, as: "channel")
    try ends.write("hello\n")
    ends.channel.unwatch(in: reactor)
    #expect(!ends.channel.isWatched)
    try reactor.wait(timeoutMilliseconds: 0)
    #expect(reactor.events.isEmpty)
    try ends.channel.watch(in: reactor, as: "again")
    try reactor.wait(timeoutMilliseconds: 5000)
    #expect(reactor[0]?.source == "again")
  }
}

@Suite(.bounded) struct WaitingTests {
  @Test func `an answer is waited for, line by line`() throws {
    let ends = try Ends()
    try ends.write("item\nok\n")
    for verb in ["item", "ok"] {
      guard case .message(let message, _) = try ends.channel.next(until: nil, into: &ends.buffer) else {
        return #expect(Bool(false))
      }
      #expect(message.verb == verb)
    }
    #expect(try ends.channel.next(until: 0, into: &ends.buffer) == nil)
    ends.peer.close()
    guard case .ended(.hungUp) = try ends.channel.next(until: nil, into: &ends.buffer) else {
      return #expect(Bool(false))
    }
  }

  @Test func `what has come is found when the time has run out`() throws {
    let ends = try Ends()
    try ends.write("ok\n")
    guard case .message = try ends.channel.next(until: 0, into: &ends.buffer) else {
      return #expect(Bool(false))
    }
  }

  @Test func `what waits is sent while an answer is waited for`() throws {
    let ends = try Ends()
    ends.fill()
    let queued = ends.channel.queuedBytes
    #expect(queued > 0)
    // The peer takes what is there and answers.
    _ = try ends.read()
    try ends.write("ok\n")
    _ = try ends.channel.wait(until: nil)
    #expect(ends.channel.queuedBytes < queued)
    guard case .message = try ends.channel.next(until: nil, into: &ends.buffer) else {
      return #expect(Bool(false))
    }
  }

  @Test func `a wait has its end`() throws {
    let ends = try Ends()
    #expect(try !ends.channel.wait(until: Clock.boottime() + 1_000_000))
  }
}
