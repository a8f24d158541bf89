import LullChannel
import LullSystem

struct ServingTurns {
  typealias Ready = (client: Slot, readiness: Readiness)

  /// The time that the clients of one turn may take together, in nanoseconds: a wake must not wait for many
  /// of them.
  static let time: Int64 = 5_000_000

  private var waiting: [Ready] = []
  private var end: Int64 = 0
  /// The client that is served first when the last turn had no time for it.
  private var first: Slot?

  mutating func begin(_ ready: [Ready], at now: Int64) {
    let start = ready.firstIndex { $0.client == first } ?? 0
    waiting = Array((ready[start...] + ready[..<start]).reversed())
    (first, end) = (nil, now + Self.time)
  }

  /// Clients that get no time are ready in the next turn too, and come first then.
  mutating func next(at now: Int64) -> Ready? {
    guard now < end else {
      first = waiting.last?.client
      waiting = []
      return nil
    }
    return waiting.popLast()
  }
}
