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
  /// The application is in the foreground.
  func applicationDidBecomeActive(_ application: Application)
  /// The application leaves the foreground.
  func applicationWillResignActive(_ application: Application)
  /// The application is in the background; without a task it sleeps soon.
  func applicationDidEnterBackground(_ application: Application)
  /// The application comes back to the foreground.
  func applicationWillEnterForeground(_ application: Application)
  /// The application is about to be terminated; `run()` returns afterwards. A sleeping application gets no
  /// message.
  func applicationWillTerminate(_ application: Application)

  /// The application slept and was woken. With the daemon, the events of its streams and lines mostly come
  /// before this message, because their peers wait; embedded, they follow it.
  func applicationDidWake(_ application: Application, reason: WakeReason)
  /// A notification is due while the application is active; only the application shows it.
  func application(_ application: Application, didReceive notification: LocalNotification)
  /// The user chose an action of a notification: its title, or `default` for the notification itself.
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
  public func applicationDidWake(_ application: Application, reason: WakeReason) {}
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
