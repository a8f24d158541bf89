import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct StillTimeTests {
  private let second: Int64 = 1_000_000_000
  private var still: StillTime

  init() { still = StillTime(boottime: 100 * 1_000_000_000, monotonic: 90 * 1_000_000_000) }

  /// Begins a turn; both clocks, the timer and the result are in seconds.
  private mutating func turn(_ boottime: Double, _ monotonic: Double, due: Double? = nil) -> Double {
    let found = still.turnBegins(
      boottime: Int64(boottime * 1e9), monotonic: Int64(monotonic * 1e9), due: due.map { Int64($0 * 1e9) })
    return Double(found) / 1e9
  }

  @Test mutating func `while both clocks go on together nothing stands still`() {
    #expect(turn(100, 90) == 0)
    #expect(turn(500, 490) == 0)
    #expect(turn(501, 491, due: 501) == 0)
    #expect(turn(503, 493, due: 502.5) == 0)
  }

  @Test mutating func `the time for which the machine was suspended is found once`() {
    #expect(turn(200, 95) == 95)
    #expect(turn(201, 96) == 0)
    #expect(turn(210.5, 96.5) == 9)
  }

  @Test mutating func `a sleep of the machine is told apart from a late turn`() {
    _ = turn(200, 95)
    #expect(still.suspended == 95_000_000_000)
    _ = turn(241, 136, due: 221)
    #expect(still.suspended == 0)
  }

  @Test mutating func `a timer that the suspend overtook is no sign of lateness`() {
    #expect(turn(200, 95, due: 106) == 95)
  }

  @Test mutating func `a pause between the two reads finds nothing, now and later`() {
    #expect(turn(101, 93) == 0)
    #expect(turn(104, 94) == 0)
  }

  @Test mutating func `a turn long after the timer was due was heard by nobody, and nor was the time before`()
  {
    #expect(turn(101, 91) == 0)
    #expect(turn(141, 131, due: 121) == 25)
    #expect(turn(142, 132) == 0)
  }

  @Test mutating func `but no more than since the last turn`() {
    #expect(turn(119, 109) == 0)
    #expect(turn(141, 131, due: 121) == 22)
  }

  @Test mutating func `suspended and late at once`() {
    #expect(turn(101, 91) == 0)
    #expect(turn(241, 131, due: 121) == 100 + 25)
  }
}
