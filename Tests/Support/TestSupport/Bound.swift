import Glibc
import LullSystem
import Synchronization
package import Testing

/// The time within which each test of a suite must end, counted from the start of its body.
///
/// The library's own time limit runs while a test still waits for a thread, so the other tests of a long run
/// can use it up. And it cannot end a test that never comes back. This bound names the test and ends the run.
package struct Bound: SuiteTrait, TestTrait, TestScoping {
  private let seconds: Int64
  package let isRecursive = true

  fileprivate init(seconds: Int64) { self.seconds = seconds }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    let number = Watchdog.shared.begin(test.displayName ?? test.name, seconds: seconds)
    defer { Watchdog.shared.end(number) }
    try await body()
  }
}

extension Trait where Self == Bound {
  /// No test takes as long. A wait that comes to its bound says more, and comes first.
  package static var bounded: Self { .bounded(seconds: 150) }

  /// A bound for tests that build or calculate for long.
  package static func bounded(seconds: Int64) -> Self { Bound(seconds: seconds) }
}

/// A thread that ends the process when a test has not ended in time. The signal goes to the test's thread,
/// whose stack Swift then prints.
private final class Watchdog: Sendable {
  private struct Running {
    let number: Int
    let name: String
    let seconds: Int64
    let end: Int64
    let thread: pthread_t
  }

  static let shared = Watchdog()
  /// The time for the stack, in nanoseconds.
  private static let printing: Int64 = 5_000_000_000

  private let state = Mutex<(running: [Running], last: Int)>(([], 0))

  private init() { startThread { [self] in watch() } }

  func begin(_ name: String, seconds: Int64) -> Int {
    let end = Clock.boottime() + seconds * 1_000_000_000
    return state.withLock { state in
      state.last += 1
      state.running.append(
        Running(number: state.last, name: name, seconds: seconds, end: end, thread: pthread_self()))
      return state.last
    }
  }

  func end(_ number: Int) {
    state.withLock { $0.running.removeAll { $0.number == number } }
  }

  private func watch() {
    var nothing: [PollEntry] = []
    while true {
      _ = try? Socket.pollMany(&nothing, timeoutMilliseconds: 1000)
      let now = Clock.boottime()
      guard let late = state.withLock({ $0.running.first { $0.end < now } }) else { continue }
      let text = "The test \"\(late.name)\" has not ended after \(late.seconds) s\n"
      try? StandardStreams.write(Array(text.utf8), to: STDERR_FILENO)
      // The threads of the tests block most signals, but none that traps: Swift prints the stack. A test that
      // waits without a thread leaves nothing to print.
      if now < late.end + Self.printing { pthread_kill(late.thread, SIGTRAP) } else { abort() }
    }
  }
}
