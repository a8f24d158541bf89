import TestSupport
import Testing

@testable import lull_phone

@Suite(.bounded) struct PhoneBackoffTests {
  @Test func `The waits double up to ten minutes, and the long ones are slept through`() {
    var backoff = Backoff()
    let waits = (0..<12).map { _ in (backoff.next(), backoff.staysAwake) }
    #expect(waits.map(\.0) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600])
    #expect(waits.map(\.1) == [true, true, true, true] + Array(repeating: false, count: 8))
    backoff.reset()
    #expect(backoff.next() == 1)
  }
}
