package import LullEngine

/// The wait before a process that ended is started again, in nanoseconds: none the first time, then twice as
/// long after each life that was short.
package struct Backoff {
  private let policy: SupervisionPolicy
  private var wait: Int64 = 0

  package init(_ policy: SupervisionPolicy) { self.policy = policy }

  package mutating func next(after life: Int64) -> Int64 {
    if life >= policy.shortLife.nanoseconds { wait = 0 }
    defer {
      wait =
        wait == 0 ? policy.backoffFirst.nanoseconds : min(2 * wait, policy.backoffLast.nanoseconds)
    }
    return wait
  }
}
