import LullSystem
import LullWire
import Testing

@Suite struct TrafficTests {
  /// Bytes arrive whenever they like: asleep, awake, and in the middle of falling asleep.
  @Test func `of 2000 bursts at random moments no byte is lost`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    var random = Generator(seed: 0x1DEA)
    var (sent, received) = ("", "")
    for burst in 0..<2000 {
      let text = "\(burst)" + String(repeating: ".", count: Int(random.next() % 40)) + "|"
      try peer.send(text)
      sent += text
      // One burst in four comes on top of the last one; the others wait until it was read.
      if random.next() % 4 == 0 { continue }
      while received.utf8.count < sent.utf8.count { received += try puppet.bytes() }
      if random.next() % 32 == 0 { try journal.waitUntilAsleep(puppet.name, lull) }
      // Some moments more, so that the next burst meets every point of the way to sleep.
      for _ in 0..<(random.next() % 400) { _ = Clock.boottime() }
    }
    while received.utf8.count < sent.utf8.count { received += try puppet.bytes() }
    #expect(received == sent)
    let wakes = try #require(Int(lull.field(.wakes, of: puppet.name)))
    #expect(wakes > 30)
  }
}

/// Random numbers that are the same in every run (SplitMix64).
struct Generator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
