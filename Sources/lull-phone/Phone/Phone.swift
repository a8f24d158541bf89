import Lull
import LullSystem
import LullWire

/// A VoIP client as Apple describes it (Background Execution, iOS App Programming Guide): it keeps one
/// connection, answers on it, and sleeps in between.
final class Phone: ApplicationDelegate {
  struct Settings {
    var destination: Destination
    var keepAlive: Double
    var offload: Bool
    var reconnects: Bool
    /// Calls when the connection is open for the first time.
    var dials: Bool
    /// Answers calls with sound by itself.
    var answers: Bool
    var media: MediaOptions
    /// The device that rings; nil: no sound.
    var ringDevice: AudioDevice?
  }

  /// True when the phone has failed.
  var hasFailed = false
  let settings: Settings
  let console: Console
  let signals: SleepSignals
  var conversation = PhoneConversation()
  var backoff = Backoff()
  var stream: VoIPStream?
  var calls = CallConversation()
  var call = CallState.free
  var hasDialed = false
  let ringer = Ringer()
  var connecting: BackgroundTask?

  init(_ settings: Settings, console: Console, signals: SleepSignals) {
    self.settings = settings
    self.console = console
    self.signals = signals
  }

  func application(_ application: Application, didFinishLaunchingWith options: LaunchOptions) {
    application.setKeepAliveTimeout(settings.keepAlive) { [weak self] in self?.keepAlive(application) }
    connect(application)
  }

  func applicationDidWake(_ application: Application, reason: WakeReason) {
    // For every other reason an event follows, or has been handled before this notice arrived.
    if reason == .operator || reason == .unfrozen { finish(application) }
  }

  func application(_ application: Application, didChoose action: String, for token: NotificationToken) {
    signals.collect()
    ringer.stop()
    handle(call.offersHangUp(token) ? .hungUp : .answered, application)
    finish(application)
  }

  // Shows nothing: the text line was printed when the call came.
  func application(_ application: Application, show call: LocalNotification, as token: NotificationToken) {}

  /// Ends the call, closes the connection and lets the loop end.
  func hangUp(_ application: Application) {
    handle(.hungUp, application)
    if stream?.status == .open { console.event("Connection Closed") }
    stream?.close()
    application.stop()
  }

  private func keepAlive(_ application: Application) {
    signals.collect()
    if stream?.status == .open { perform(conversation.keepAlive(), application) }
    finish(application)
  }

  func finish(_ application: Application) {
    if stream?.status != .open || conversation.mayFinish { application.finishedHandlingWake() }
    let sleeps = application.applicationState == .background && !application.isEmbedded
    if sleeps, connecting == nil, case .free = call { signals.release() }
  }

  func perform(_ outputs: [PhoneConversation.Output], _ application: Application) {
    for output in outputs {
      switch output {
      case .print(let text): console.event(text)
      case .send(let answer): stream?.write(answer.bytes)
      case .notify: ring(application)
      case .call(let message): handle(.message(message), application)
      }
    }
  }

  func ring(_ application: Application) {
    if let device = settings.ringDevice {
      ringer.start(application, on: device) { [console] in
        console.trouble("Had error: the ring tone: \($0)")
      }
    }
    _ = raise(LocalNotification(body: "New VOIP call", action: "Answer"), application)
  }

  func raise(_ call: LocalNotification, _ application: Application) -> NotificationToken? {
    do throws(LullError) {
      let token = try application.present(call)
      console.event("Notification: \(call.body) (\(call.action ?? ""))")
      return token
    } catch {
      console.trouble("Had error: \(error)")
      return nil
    }
  }
}
