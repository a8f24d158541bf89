internal import LullEngine
internal import LullWire

struct KeepAliveHandler {
  let timeout: Interval
  /// The moment when the first handler of this series was set.
  let since: Moment
  let handler: () -> Void

  /// Only a new daemon is told `since`.
  func request(lastRun: Moment?, since: Moment? = nil) -> Request {
    .keepalive(
      .init(
        timeout: timeout, lastRunNanoseconds: lastRun?.nanoseconds, sinceNanoseconds: since?.nanoseconds))
  }
}

struct TaskEntry {
  let task: BackgroundTask
  let name: String
  let expirationHandler: () -> Void
  /// Nil while the daemon is away.
  var id: TaskID?
}

extension Application {
  /// In seconds.
  public static let minimumKeepAliveTimeout = Bounds.shortestKeepAlive.seconds

  /// Installs a handler that runs at least once in `seconds`, in the background and in the program's sleep,
  /// to keep a service's connection alive (`setKeepAliveTimeout:handler:`). Nil clears it.
  ///
  /// It does not run in the foreground; what fell due there runs when the program enters the background.
  /// Two runs are at least 600 s apart; the first may come early, together with another program's. A run has
  /// 10 s and ends with ``finishedHandlingWake()``.
  ///
  /// - Returns: false when the time-out is below 600 s or the application did not declare `voip`; an earlier
  ///   handler then stays.
  @discardableResult
  public func setKeepAliveTimeout(_ seconds: Double?, handler: (() -> Void)? = nil) -> Bool {
    defer { settle() }
    guard let seconds, let handler else {
      keepAlive = nil
      _ = try? link.ask(.keepalive(nil))
      return true
    }
    guard seconds >= Application.minimumKeepAliveTimeout, modes.contains(.voip), phase != .ended else {
      return false
    }
    let new = KeepAliveHandler(
      timeout: Interval(clampingSeconds: seconds), since: keepAlive?.since ?? clock(), handler: handler)
    do { _ = try askIfUp(new.request(lastRun: lastKeepAlive)) } catch { return false }
    keepAlive = new
    return true
  }

  /// Begins a task that is to be finished even in the background: the program does not sleep before it ends.
  ///
  /// All tasks together have 600 s (profile `ios4`) or 180 s (`ios7`) in one stay in the background. A task
  /// that is still open then gets the program killed; its `expirationHandler` is called 5 s before.
  ///
  /// - Throws: `noBackgroundTime`, `limitReached` or `timedOut`.
  public func beginBackgroundTask(
    named name: String, expirationHandler: @escaping () -> Void
  ) throws(LullError) -> BackgroundTask {
    guard phase != .ended else { throw .ended }
    defer { settle() }
    var entry = TaskEntry(
      task: BackgroundTask(number: newToken(), mailbox: mailbox), name: name,
      expirationHandler: expirationHandler)
    if case .task(let id, _) = try askIfUp(.beginTask(name: name)) { entry.id = id }
    tasks.append(entry)
    tickets.began()
    return entry.task
  }

  /// Ends a task; does nothing the second time. On another thread: ``BackgroundTask/end()``.
  public func endBackgroundTask(_ task: BackgroundTask) {
    guard let index = tasks.firstIndex(where: { $0.task == task }) else { return }
    if let id = tasks.remove(at: index).id { link.tell(.endTask(task: id)) }
    settle()
  }

  /// Seconds after which the program may be suspended if it begins no task; infinite in the foreground, and
  /// while the daemon is away ("how much time is available", Background Execution).
  ///
  /// In the background that is the run time which keeps the program awake: 10 s after a wake and in a
  /// keep-alive handler (``setKeepAliveTimeout(_:handler:)``), 30 s in a fetch or a push, 60 s after a lost
  /// connection; of several the one that ends last. While a task is open it is ``taskTimeRemaining``, and so
  /// it is while sound keeps the program awake, and before any run time has begun. It is never more than
  /// that.
  public var backgroundTimeRemaining: Double { remaining().background }

  /// Seconds that are left for tasks in this stay in the background, whatever else keeps the program awake;
  /// infinite in the foreground, and while the daemon is away. It is what a task gets that is begun now
  /// (``beginBackgroundTask(named:expirationHandler:)``), and stands still while sound keeps the program
  /// awake.
  public var taskTimeRemaining: Double { remaining().tasks }

  private func remaining() -> (background: Double, tasks: Double) {
    defer { settle() }
    guard case .remaining(let time, let forTasks) = try? link.ask(.remaining) else {
      return (.infinity, .infinity)
    }
    return (time?.seconds ?? .infinity, forTasks?.seconds ?? .infinity)
  }

  /// Sends the application to the background, as the user would.
  public func enterBackground() { turn(towards: .background) }

  /// Asks to be brought to the foreground.
  public func requestForeground() { turn(towards: .foreground) }

  private func turn(towards target: LaunchTarget) {
    if link.isUp { tell(target) } else { wantedTarget = target }
    settle()
  }

  func tell(_ target: LaunchTarget) {
    link.tell(target == .background ? .background(name: nil) : .foreground(name: nil))
  }

  /// Nil when a new daemon refuses the task: then no lease keeps the program awake for it.
  func beginAnew(_ name: String) throws(LullError) -> TaskID? {
    do {
      guard case .task(let id, _) = try link.ask(.beginTask(name: name)) else { return nil }
      return id
    } catch {
      if error == .connectionLost { throw error }
      return nil
    }
  }
}

/// A finite-length task, from `beginBackgroundTask` to `end` or `endBackgroundTask`.
public struct BackgroundTask: Hashable, Sendable {
  let number: UInt64
  let mailbox: Mailbox

  /// Ends the task, from any thread; does nothing the second time. The program may sleep after the next turn
  /// of its loop.
  public func end() {
    mailbox.post { [self] in $0.endBackgroundTask(self) }
  }

  /// Compares the task and its application.
  public static func == (one: Self, other: Self) -> Bool {
    one.number == other.number && one.mailbox === other.mailbox
  }

  /// Hashes the task.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
