import LullEngine
import TestSupport
import Testing

@testable import LullGuard

@Suite(.bounded) struct BackoffTests {
  private let policy = SupervisionPolicy()

  @Test func `the first time nothing is waited, then twice as long after each short life, to a bound`() {
    var backoff = Backoff(policy)
    let waits = (1...14).map { _ in backoff.next(after: policy.shortLife.nanoseconds - 1) / 1_000_000 }
    #expect(
      waits == [0, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000, 30000])
  }

  @Test func `a life that was not short begins it anew`() {
    var backoff = Backoff(policy)
    for _ in 1...5 { _ = backoff.next(after: 0) }
    #expect(backoff.next(after: policy.shortLife.nanoseconds) == 0)
    #expect(backoff.next(after: 0) == policy.backoffFirst.nanoseconds)
  }
}
