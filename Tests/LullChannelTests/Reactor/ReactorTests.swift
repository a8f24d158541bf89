import LullChannel
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct SlotTableTests {
  @Test func `a slot finds its element until that is removed, and nothing afterwards`() {
    var table = SlotTable<String>()
    let first = table.insert("first")
    #expect(table[first] == "first")
    #expect(table.remove(first) == "first")
    #expect(table[first] == nil)
    #expect(table.remove(first) == nil)
  }

  @Test func `a place that is taken again has another generation`() {
    var table = SlotTable<String>()
    let old = table.insert("old")
    table.remove(old)
    let new = table.insert("new")
    #expect(old.index == new.index)
    #expect(table[old] == nil)
    #expect(table[new] == "new")
    #expect(Slot(raw: new.raw) == new)
  }

  @Test func `an element can know its own slot`() {
    var table = SlotTable<Slot>()
    let (first, second) = (table.insert { $0 }, table.insert { $0 })
    #expect(table[first] == first)
    #expect(table[second] == second)
    #expect(first != second)
  }

  @Test func `elements stand in the order of their places`() {
    var table = SlotTable<String>()
    let slots = ["a", "b", "c"].map { table.insert($0) }
    table.remove(slots[1])
    #expect(table.elements == ["a", "c"])
    #expect(table.count == 2)
    let last = table.insert("d")
    #expect(table[last] == "d")
    #expect(table.elements == ["a", "d", "c"])
  }

  @Test func `a slot that was never given out finds nothing`() {
    #expect(SlotTable<Int>()[Slot(index: 7, generation: 0)] == nil)
  }
}

@Suite(.bounded) struct ReactorTests {
  /// In the kernel's order.
  private func sources(_ reactor: Reactor<String>) -> [String] {
    reactor.events.compactMap { reactor[$0]?.source }
  }

  @Test func `a descriptor that is ready is told with what it is known by`() throws {
    let reactor = try Reactor<String>()
    let (own, other) = try UnixSocket.pair()
    let registration = try reactor.add(own.raw, .readable, as: "own")
    try reactor.wait(timeoutMilliseconds: 0)
    #expect(reactor.events.isEmpty)
    _ = try Socket.write(other.raw, [1])
    try reactor.wait(timeoutMilliseconds: 5000)
    let event = try #require(reactor[0])
    #expect(event.source == "own")
    #expect(event.registration == registration)
    #expect(event.readiness == .readable)
  }

  @Test func `an event of a registration that was removed since the wait finds nothing`() throws {
    let reactor = try Reactor<String>()
    let (first, firstPeer) = try UnixSocket.pair()
    let (second, secondPeer) = try UnixSocket.pair()
    let old = try reactor.add(first.raw, .readable, as: "old")
    let stays = try reactor.add(second.raw, .readable, as: "stays")
    for peer in [firstPeer, secondPeer] { _ = try Socket.write(peer.raw, [1]) }
    try reactor.wait(timeoutMilliseconds: 5000)
    #expect(Set(sources(reactor)) == ["old", "stays"])
    reactor.remove(old)
    let (third, _) = try UnixSocket.pair()
    let new = try reactor.add(third.raw, .readable, as: "new")
    #expect(new.index == old.index)
    #expect(sources(reactor) == ["stays"])
    reactor.remove(old)
    reactor.remove(stays)
    #expect(sources(reactor).isEmpty)
  }

  @Test func `what comes later is added once, also where there was no room`() throws {
    let reactor = try Reactor<String>(capacity: 8)
    let pairs = try (0..<3).map { _ in try UnixSocket.pair() }
    for (index, pair) in pairs.enumerated() {
      _ = try reactor.add(pair.0.raw, index == 0 ? [.readable, .oneShot] : .readable, as: "\(index)")
    }
    for pair in pairs.prefix(2) { _ = try Socket.write(pair.1.raw, [1]) }
    try reactor.wait(timeoutMilliseconds: 5000)
    #expect(sources(reactor).sorted() == ["0", "1"])
    #expect(try !reactor.waitMore())
    _ = try Socket.write(pairs[0].1.raw, [1])
    _ = try Socket.write(pairs[2].1.raw, [1])
    #expect(try reactor.waitMore())
    #expect(sources(reactor).prefix(2).sorted() == ["0", "1"])
    #expect(sources(reactor).dropFirst(2) == ["2"])
    try reactor.wait(timeoutMilliseconds: 0)
    #expect(sources(reactor).sorted() == ["1", "2"])
    let small = try Reactor<String>(capacity: 1)
    for pair in pairs.dropFirst() { _ = try small.add(pair.0.raw, .readable, as: "") }
    try small.wait(timeoutMilliseconds: 0)
    #expect(small.events.count == 1)
    #expect(try small.waitMore())
    #expect(small.events.count == 2)
    #expect(try !small.waitMore(timeoutMilliseconds: 5000))
  }

  @Test func `what a descriptor is watched for can change`() throws {
    let reactor = try Reactor<String>()
    let (own, other) = try UnixSocket.pair()
    let registration = try reactor.add(own.raw, .readable, as: "own")
    try reactor.modify(registration, .writable)
    try reactor.wait(timeoutMilliseconds: 5000)
    #expect(reactor[0]?.readiness == .writable)
    reactor.remove(registration)
    try reactor.modify(registration, .writable)
    try reactor.wait(timeoutMilliseconds: 0)
    #expect(reactor.events.isEmpty)
    withExtendedLifetime(other) {}
  }

  @Test func `what cannot be watched leaves no registration behind`() throws {
    let reactor = try Reactor<String>()
    let (own, other) = try UnixSocket.pair()
    let folder = try Files.openDirectory("/")
    #expect(throws: SystemError.self) { try reactor.add(folder.raw, .readable, as: "file") }
    #expect(throws: SystemError.self) { try reactor.probe(folder.raw) }
    let registration = try reactor.add(own.raw, .readable, as: "own")
    #expect(registration.index == 0)
    try reactor.probe(own.raw)
    #expect(throws: SystemError.self) { try reactor.add(own.raw, .readable, as: "twice") }
    withExtendedLifetime(other) {}
  }

  @Test func `an alarm tells its moment, too, and is one where that is permitted`() throws {
    let reactor = try Reactor<String>(wakesMachine: true)
    let isPermitted = Identity.hasCapability(.wakeAlarm)
    #expect(reactor.wakesMachine == isPermitted)
    let late = Clock.boottime() + 60_000_000_000
    try reactor.arm(at: late, alarm: 1)
    #expect(reactor.armed == 1 && reactor.armedAlarm == (isPermitted ? 1 : nil))
    try reactor.wait(timeoutMilliseconds: 5000)
    #expect(try reactor.takeExpiration())
    #expect(try !reactor.takeExpiration())
    try reactor.arm(at: late)
    #expect(reactor.armed == late)
    try reactor.arm(at: 1, alarm: late)
    #expect(reactor.armed == 1 && reactor.armedAlarm == (isPermitted ? late : nil))
    try reactor.wait(timeoutMilliseconds: 5000)
    #expect(reactor.events.count == 1 && sources(reactor).isEmpty)
    #expect(try reactor.takeExpiration())
    #expect(reactor.armed == (isPermitted ? late : nil))
  }

  @Test func `the timer tells its moment once`() throws {
    let reactor = try Reactor<String>()
    try reactor.arm(at: 1)
    try reactor.wait(timeoutMilliseconds: 5000)
    #expect(sources(reactor).isEmpty)
    #expect(try reactor.takeExpiration())
    #expect(try !reactor.takeExpiration())
    try reactor.wait(timeoutMilliseconds: 0)
    #expect(reactor.events.isEmpty)
    try reactor.arm(at: 1)
    try reactor.wait(timeoutMilliseconds: 5000)
    #expect(try reactor.takeExpiration())
  }

  @Test func `a timer that was taken back or put off tells nothing`() throws {
    let reactor = try Reactor<String>()
    try reactor.arm(at: 1)
    try reactor.wait(timeoutMilliseconds: 5000)
    try reactor.arm(at: nil)
    #expect(try !reactor.takeExpiration())
    try reactor.arm(at: 1)
    try reactor.wait(timeoutMilliseconds: 5000)
    try reactor.arm(at: Clock.boottime() + 60_000_000_000)
    #expect(try !reactor.takeExpiration())
    try reactor.wait(timeoutMilliseconds: 0)
    #expect(reactor.events.isEmpty)
  }

  @Test func `the set is readable for another loop while an event waits`() throws {
    let (inner, outer) = (try Reactor<String>(), try Reactor<String>())
    _ = try outer.add(inner.raw, .readable, as: "inner")
    try inner.arm(at: 1)
    try outer.wait(timeoutMilliseconds: 5000)
    #expect(sources(outer) == ["inner"])
  }
}
