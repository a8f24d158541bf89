import Fuzzing
import TestSupport
import Testing

@testable import LullEngine

@Suite(.bounded) struct DeadlineQueueTests {
  @Test(arguments: 0..<20)
  func `it agrees with a plain list after any operations`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var queue = DeadlineQueue()
    var model = [Moment](repeating: .never, count: 40)
    for _ in 0..<5000 {
      let slot = Int.random(in: 0..<model.count, using: &random)
      let moment: Moment =
        Int.random(in: 0..<4, using: &random) == 0
        ? .never : Moment(nanoseconds: .random(in: 0..<100, using: &random))
      queue.set(slot, moment)
      model[slot] = moment
      let least = model.min() ?? .never
      #expect(queue.first?.moment == (least == .never ? nil : least))
      if let first = queue.first { #expect(model[first.slot] == first.moment) }
    }
    drain(&queue, &model)
  }

  /// Taken out one after the other, the deadlines come in order and each slot once.
  private func drain(_ queue: inout DeadlineQueue, _ model: inout [Moment]) {
    var drained: [Moment] = []
    while let first = queue.first {
      #expect(model[first.slot] == first.moment)
      drained.append(first.moment)
      queue.set(first.slot, .never)
      model[first.slot] = .never
    }
    #expect(drained == drained.sorted())
    #expect(model.allSatisfy { $0 == .never })
  }

  @Test func `a slot has one deadline, the last one that was set`() {
    var queue = DeadlineQueue()
    queue.set(3, Moment(nanoseconds: 10))
    queue.set(3, Moment(nanoseconds: 20))
    #expect(queue.first?.moment == Moment(nanoseconds: 20))
    queue.set(3, .never)
    #expect(queue.first == nil)
    queue.set(3, .never)
    #expect(queue.first == nil)
  }
}
