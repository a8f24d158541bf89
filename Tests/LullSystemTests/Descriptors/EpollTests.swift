import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct EpollTests {
  @Test func `a watch brings its token, and a change brings the new one`() throws {
    let epoll = try Epoll()
    let counter = try EventDescriptor()
    var list = ReadyList(capacity: 4)
    try epoll.add(counter.raw, token: .max, interest: .readable)
    #expect(try epoll.wait(into: &list, timeoutMilliseconds: 0) == 0)
    try counter.signal()
    #expect(try epoll.wait(into: &list, timeoutMilliseconds: patience) == 1)
    #expect(list[0].token == .max)
    #expect(list[0].readiness == .readable)
    try epoll.modify(counter.raw, token: 5, interest: [.readable, .writable])
    #expect(try epoll.wait(into: &list, timeoutMilliseconds: patience) == 1)
    #expect(list[0] == (token: 5, readiness: [.readable, .writable]))
    try epoll.remove(counter.raw)
    #expect(try epoll.wait(into: &list, timeoutMilliseconds: 0) == 0)
    #expect(list.count == 0)
  }

  @Test func `more events than the list holds come with the next waits`() throws {
    let epoll = try Epoll()
    let pairs = try (0..<5).map { _ in try UnixSocket.pair() }
    for (index, pair) in pairs.enumerated() {
      try epoll.add(pair.0.raw, token: UInt64(index), interest: [.readable, .oneShot])
      #expect(try UnixSocket.send([1], to: pair.1.raw) == .sent(1))
    }
    var list = ReadyList(capacity: 2)
    var tokens: Set<UInt64> = []
    while try epoll.wait(into: &list, timeoutMilliseconds: 0) > 0 {
      #expect(list.count <= 2)
      for index in 0..<list.count { tokens.insert(list[index].token) }
    }
    #expect(tokens == [0, 1, 2, 3, 4])
  }

  @Test func `an edge watch reports a change only once`() throws {
    let epoll = try Epoll()
    let counter = try EventDescriptor()
    var list = ReadyList(capacity: 4)
    try epoll.add(counter.raw, token: 1, interest: [.readable, .edge])
    try counter.signal()
    #expect(try epoll.wait(into: &list, timeoutMilliseconds: 0) == 1)
    #expect(try epoll.wait(into: &list, timeoutMilliseconds: 0) == 0)
    try counter.signal()
    #expect(try epoll.wait(into: &list, timeoutMilliseconds: 0) == 1)
  }

  @Test func `watching a descriptor twice is refused`() throws {
    let epoll = try Epoll()
    let counter = try EventDescriptor()
    try epoll.add(counter.raw, token: 1, interest: .readable)
    let error = #expect(throws: SystemError.self) {
      try epoll.add(counter.raw, token: 2, interest: .readable)
    }
    #expect(error?.isExisting == true)
  }

  @Test func `a wait ends after its time`() throws {
    let epoll = try Epoll()
    var list = ReadyList(capacity: 1)
    let begin = Clock.boottime()
    #expect(try epoll.wait(into: &list, timeoutMilliseconds: 30) == 0)
    #expect(Clock.boottime() - begin >= 30_000_000)
  }

  @Test func `many descriptors are polled at once`() throws {
    let counters = try (0..<3).map { _ in try UnixSocket.pair() }
    #expect(try UnixSocket.send([1], to: counters[1].1.raw) == .sent(1))
    var entries = counters.map { PollEntry($0.0.raw, .readable) }
    #expect(try Socket.pollMany(&entries, timeoutMilliseconds: patience) == 1)
    #expect(entries.map(\.readiness) == [[], .readable, []])
  }

  @Test func `an event counter counts and is set back by reading`() throws {
    let counter = try EventDescriptor()
    #expect(try counter.drain() == 0)
    try counter.signal()
    try counter.signal()
    #expect(try readyNow(counter.raw, .readable) == .readable)
    #expect(try counter.drain() == 2)
    #expect(try readyNow(counter.raw, .readable) == [])
  }
}
