import Fuzzing
import LullSystem
import LullWire
import TestSupport
import Testing

@Suite(.bounded) struct TrafficTests {
  /// Bytes arrive whenever they like: asleep, awake, and in the middle of falling asleep.
  @Test func `of 2000 bursts at random moments no byte is lost`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    var random = SplitMix64(seed: 0x1DEA)
    var (sent, received) = ("", "")
    for burst in 0..<2000 {
      let text = "\(burst)" + String(repeating: ".", count: Int(random.next() % 40)) + "|"
      try peer.send(text)
      sent += text
      // One burst in four comes on top of the last one; the others wait until it was read.
      if random.next() % 4 == 0 { continue }
      while received.utf8.count < sent.utf8.count { received += try puppet.bytes() }
      if random.next() % 32 == 0 { try journal.waitUntilAsleep(puppet.name, lull) }
      // The test waits some moments more, so that the next burst meets every point of the way to sleep.
      for _ in 0..<(random.next() % 400) { _ = Clock.boottime() }
    }
    while received.utf8.count < sent.utf8.count { received += try puppet.bytes() }
    #expect(received == sent)
    let wakes = try #require(Int(lull.field(.wakes, of: puppet.name)))
    #expect(wakes > 30)
  }
}
