/// The messages to an application. Every message has a default, so a delegate implements only those it needs.
///
/// The first seven are the messages of "App States and Multitasking" (Apple's guide), in their order.
/// `willFinishLaunching` and `didFinishLaunching` together, `willResignActive`, `didEnterBackground` and
/// `willTerminate` must each return within 5 s, or the program is killed.
public protocol ApplicationDelegate: AnyObject {
  /// The launch has begun; the state is `inactive`, or `background` for a launch into the background.
  func application(_ application: Application, willFinishLaunchingWith options: LaunchOptions)
  /// The launch is nearly over: the place to open the first connection.
  func application(_ application: Application, didFinishLaunchingWith options: LaunchOptions)
  /// The application is in the foreground, and the user sees it.
  func applicationDidBecomeActive(_ application: Application)
  /// The application is about to become inactive, and is active until this returns. It leaves the
  /// foreground, or the lock or another program's call comes before it.
  func applicationWillResignActive(_ application: Application)
  /// The application is in the background; without a task it sleeps soon.
  func applicationDidEnterBackground(_ application: Application)
  /// The application comes back to the foreground; it is in the background until this returns.
  func applicationWillEnterForeground(_ application: Application)
  /// The application is about to be terminated; `run()` returns afterwards. A sleeping application gets no
  /// message.
  func applicationWillTerminate(_ application: Application)

  /// Something changed around the application: told at once while it is awake, else at its next wake, each
  /// change once, and not what changed back. It comes before ``applicationDidWake(_:reason:)``.
  func application(_ application: Application, surroundingsDidChange changes: SurroundingChanges)
  /// The session is locked: the application closes the files that the lock protects, within 5 s. An active
  /// application has resigned before.
  func applicationProtectedDataWillBecomeUnavailable(_ application: Application)
  /// The session is unlocked: the files can be opened again. `didBecomeActive` follows in the foreground.
  func applicationProtectedDataDidBecomeAvailable(_ application: Application)

  /// The application slept and was woken. With the daemon, the events of its streams and lines mostly come
  /// before this message, because their peers wait; embedded, they follow it.
  func applicationDidWake(_ application: Application, reason: WakeReason)
  /// The time has come to look for new content (`application:performFetchWithCompletionHandler:`). The
  /// application has 30 s, and calls `completion` with the result, which ends them. Only the delegate is
  /// told.
  ///
  /// Whoever says truly what was found, and is quick, is asked as often as it wanted; whoever finds nothing,
  /// or fails, or takes longer than 10 s, less often.
  func application(_ application: Application, performFetch completion: FetchCompletion)
  /// Somebody has pushed something to the application (`lull push`), which declares `remoteNotification`
  /// (`application:didReceiveRemoteNotification:fetchCompletionHandler:`). It has 30 s, and calls
  /// `completion` with the result, which ends them. The bytes are a stranger's. Only the delegate is told.
  func application(
    _ application: Application, didReceive push: RemoteNotification, completion: FetchCompletion)
  /// Somebody opened a link whose scheme the application takes (`application:openURL:`). In the background it
  /// has 10 s for it, as for a wake. The text is a stranger's: it has a scheme, and no control characters.
  func application(_ application: Application, open url: String)
  /// A notification is due while the application is active; only the application shows it.
  func application(_ application: Application, didReceive notification: LocalNotification)
  /// The user chose an action of a notification: its title, or `default` for the notification itself. The
  /// desktop's token for a window is in ``Application/activationToken``.
  func application(_ application: Application, didChoose action: String, for notification: NotificationToken)
  /// After a restart of the daemon a line could not be held again: bytes on it do not wake the program any
  /// more.
  func application(_ application: Application, didLose line: Line, error: LullError)
  /// An embedded application shows its notifications itself, and hands the answer to `choose(_:for:)`. The
  /// default writes a text line to standard error.
  func application(
    _ application: Application, show notification: LocalNotification, as token: NotificationToken)
}

extension ApplicationDelegate {
  /// Does nothing.
  public func application(_ application: Application, willFinishLaunchingWith options: LaunchOptions) {}
  /// Does nothing.
  public func application(_ application: Application, didFinishLaunchingWith options: LaunchOptions) {}
  /// Does nothing.
  public func applicationDidBecomeActive(_ application: Application) {}
  /// Does nothing.
  public func applicationWillResignActive(_ application: Application) {}
  /// Does nothing.
  public func applicationDidEnterBackground(_ application: Application) {}
  /// Does nothing.
  public func applicationWillEnterForeground(_ application: Application) {}
  /// Does nothing.
  public func applicationWillTerminate(_ application: Application) {}
  /// Does nothing.
  public func application(_ application: Application, surroundingsDidChange changes: SurroundingChanges) {}
  /// Does nothing.
  public func applicationProtectedDataWillBecomeUnavailable(_ application: Application) {}
  /// Does nothing.
  public func applicationProtectedDataDidBecomeAvailable(_ application: Application) {}
  /// Does nothing.
  public func applicationDidWake(_ application: Application, reason: WakeReason) {}
  /// Does nothing.
  public func application(_ application: Application, open url: String) {}
  /// Does nothing.
  public func application(_ application: Application, didReceive notification: LocalNotification) {}
  /// Does nothing.
  public func application(
    _ application: Application, didChoose action: String, for notification: NotificationToken
  ) {}
  /// Does nothing.
  public func application(_ application: Application, didLose line: Line, error: LullError) {}
  /// Writes the notification to standard error.
  public func application(
    _ application: Application, show notification: LocalNotification, as token: NotificationToken
  ) {
    application.printNotification(notification)
  }
}

struct WeakObserver {
  weak var target: (any ApplicationDelegate)?
}

extension Application {
  /// Tells an observer everything that the delegate is told, after the delegate and the observers before it.
  ///
  /// Only the delegate shows the notifications of an embedded application. All of them together have the time
  /// that a message has. The observer is not retained; to add it again does nothing.
  public func addObserver(_ observer: any ApplicationDelegate) {
    guard !observers.contains(where: { $0.target === observer }) else { return }
    observers.append(WeakObserver(target: observer))
  }

  /// The observer is told nothing any more.
  public func removeObserver(_ observer: any ApplicationDelegate) {
    observers.removeAll { $0.target === observer }
  }

  /// Tells the delegate, then the observers in their order. An observer that a message removed is not told;
  /// after the end of the application nobody is.
  func tell(_ message: (any ApplicationDelegate) -> Void) {
    let first = delegate
    if let first { message(first) }
    observers.removeAll { $0.target == nil }
    for observer in observers {
      guard phase != .ended else { return }
      guard let target = observer.target, target !== first, isObserved(by: target) else { continue }
      message(target)
    }
  }

  private func isObserved(by target: any ApplicationDelegate) -> Bool {
    observers.contains { $0.target === target }
  }
}
