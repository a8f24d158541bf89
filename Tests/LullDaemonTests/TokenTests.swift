import Testing

@testable import LullDaemon

@Suite struct TokenTests {
  private final class Thing {
    let generation: UInt32
    init(_ generation: UInt32) { self.generation = generation }
  }

  private static let kinds: [Token.Kind] = [
    .listener, .timer, .wallClock, .signals, .guardian, .client, .line, .process, .exec, .cgroup,
  ]

  @Test(arguments: kinds)
  func `a token goes into epoll data and comes back`(kind: Token.Kind) {
    for slot in [0, 1, 4095, Int(UInt32.max)] {
      for generation: UInt32 in [0, 1, 0xFF_FFFF] {
        let token = Token(kind, slot: slot, generation: generation)
        #expect(Token(token.raw) == token)
      }
    }
  }

  @Test func `every kind has a word of its own`() {
    let raws = Self.kinds.map { Token($0).raw }
    #expect(raws.count == 10)
    for (index, raw) in raws.enumerated() { #expect(raws.firstIndex(of: raw) == index) }
    #expect(Token(UInt64.max) == nil)
  }

  @Test func `a generation has 24 bits`() {
    #expect(Token(.line, slot: 3, generation: 0x100_0000) == Token(.line, slot: 3, generation: 0))
  }

  @Test func `a slot that is given out again has another generation, and old tokens find nothing`() {
    var slots = SlotArray<Thing>()
    var oldTokens: [Token] = []
    for round in 0..<5 {
      let thing = slots.insert { slot, generation in
        #expect(slot == 0)
        return Thing(generation)
      }
      let token = Token(.client, slot: 0, generation: thing.generation)
      #expect(slots[token] === thing)
      for old in oldTokens { #expect(slots[old] == nil) }
      #expect(thing.generation == UInt32(round))
      oldTokens.append(token)
      slots.remove(0)
      #expect(slots[token] == nil)
    }
    #expect(slots.count == 0)
  }

  @Test func `slots are filled before new ones are made, and counted`() {
    var slots = SlotArray<Thing>()
    var taken: [Int] = []
    for _ in 0..<3 {
      _ = slots.insert { slot, generation in
        taken.append(slot)
        return Thing(generation)
      }
    }
    #expect(taken == [0, 1, 2])
    slots.remove(1)
    slots.remove(1)
    #expect(slots.count == 2)
    _ = slots.insert { slot, generation in
      taken.append(slot)
      return Thing(generation)
    }
    #expect(taken == [0, 1, 2, 1])
    #expect(slots.all.map(\.generation) == [0, 1, 0])
    #expect(slots[Token(.client, slot: 99)] == nil)
  }
}
