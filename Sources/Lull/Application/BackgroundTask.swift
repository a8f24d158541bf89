/// A finite-length task, from `beginBackgroundTask` to `end` or `endBackgroundTask`.
public struct BackgroundTask: Hashable, Sendable {
  let number: UInt64
  let mailbox: Mailbox

  /// Ends the task, from any thread; does nothing the second time. The program may sleep after the next turn
  /// of its loop.
  public func end() {
    mailbox.post { [self] in $0.endBackgroundTask(self) }
  }

  /// True for the same task of the same application.
  public static func == (one: Self, other: Self) -> Bool {
    one.number == other.number && one.mailbox === other.mailbox
  }

  /// Hashes the task.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
