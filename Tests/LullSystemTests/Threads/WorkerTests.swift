import Glibc
import TestSupport
import Testing

@testable import LullSystem

@Suite(.bounded) struct WorkerTests {
  /// Work that waits until it is let through.
  private struct Barrier: Sendable {
    private let passes = Monitor(0)

    func open() { passes.change { $0 += 1 } }

    func pass() {
      passes.change(when: { $0 > 0 }, by: { _ in Clock.monotonic() + Int64(patience) * 1_000_000 }) {
        $0 -= 1
      }
    }
  }

  @Test func `what is handed over is done in its order, by one thread that stays`() throws {
    let worker = Worker()
    let done = Monitor<[Int]>([])
    let threads = Monitor<Set<pthread_t>>([])
    for number in 0..<200 {
      try worker.perform {
        done.change { $0.append(number) }
        threads.change { _ = $0.insert(pthread_self()) }
      }
      if number % 50 == 0 { #expect(worker.finish(milliseconds: patience)) }
    }
    #expect(worker.finish(milliseconds: patience))
    #expect(done.read { $0 } == Array(0..<200))
    #expect(threads.read(\.count) == 1)
  }

  @Test func `a failure is told by a counter that a loop watches`() throws {
    let (worker, counter) = (Worker(), Counter(event: try EventDescriptor()))
    let failure = Monitor<SystemError?>(nil)
    try worker.perform {
      do throws(SystemError) {
        try Files.replace("/proc/nowhere", with: [1])
      } catch {
        failure.change { $0 = error }
        try? counter.event.signal()
      }
    }
    try Deadline().wait(counter.event.raw, .readable, for: "a failure")
    #expect(failure.read { $0?.isNoSuchFile } == true)
  }

  private final class Counter: Sendable {
    let event: EventDescriptor

    init(event: consuming EventDescriptor) { self.event = event }
  }

  @Test func `what is held back lets others pass, until somebody waits for the end`() throws {
    let worker = Worker()
    let (done, barrier) = (Monitor<[Int]>([]), Barrier())
    try worker.perform(after: 3_600_000_000_000) { done.change { $0.append(1) } }
    try worker.perform {
      done.change { $0.append(2) }
      barrier.pass()
    }
    try eventually("it does not pass what is held back") { done.read { $0 } == [2] }
    #expect(!worker.finish(milliseconds: 1), "it waits")
    barrier.open()
    #expect(worker.finish(milliseconds: patience))
    #expect(done.read { $0 }.sorted() == [1, 2])
  }

  @Test func `a wide one goes on while some of its work waits`() throws {
    let worker = Worker(width: 4)
    let (done, barrier) = (Monitor<[Int]>([]), Barrier())
    for _ in 0..<3 { try worker.perform { barrier.pass() } }
    for number in 0..<100 { try worker.perform { done.change { $0.append(number) } } }
    try eventually("the others wait too") { done.read(\.count) == 100 }
    for _ in 0..<3 { barrier.open() }
    #expect(worker.finish(milliseconds: patience))
  }

  @Test func `what it had is released before somebody hears of the end`() throws {
    final class Held: Sendable {}
    let worker = Worker()
    for _ in 0..<200 {
      weak var held: Held?
      do {
        let value = Held()
        held = value
        try worker.perform { withExtendedLifetime(value) {} }
      }
      #expect(worker.finish(milliseconds: patience))
      #expect(held == nil)
    }
  }

  @Test func `what was handed over is done after its owner has gone`() throws {
    let done = Monitor<[Int]>([])
    do {
      let worker = Worker()
      try worker.perform(after: 3_600_000_000_000) { done.change { $0.append(1) } }
      try worker.perform { done.change { $0.append(2) } }
    }
    try eventually("nobody does it") { done.read(\.count) == 2 }
  }
}
