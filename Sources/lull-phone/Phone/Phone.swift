import Lull
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
    /// Only calls with sound.
    var answers: Bool
    var media: MediaOptions
  }

  /// A call that somebody wants to be made.
  enum Wish {
    case anybody
    /// The one that a link names.
    case somebody(String)
  }

  var hasFailed = false
  let settings: Settings
  let console: Console
  let signals: SleepSignals
  var conversation = PhoneConversation()
  var backoff = ConnectPause()
  var stream: VoIPStream?
  var calls = CallConversation()
  var call = CallState.free
  /// It is made when the connection is open.
  var wish: Wish?
  /// Of the last call that was missed in another one.
  var other: NotificationToken?
  var ringing: NotificationToken?
  var connecting: BackgroundTask?
  var attempt: TimerToken?
  /// Ends the wait for an answer on a connection that may be dead.
  var test: TimerToken?
  /// So many seconds after a change of the network the server has answered.
  static let testTime = 0.7

  init(_ settings: Settings, console: Console, signals: SleepSignals) {
    (self.settings, self.console, self.signals) = (settings, console, signals)
    wish = settings.dials ? .anybody : nil
  }

  func application(_ application: Application, didFinishLaunchingWith options: LaunchOptions) {
    application.setKeepAliveTimeout(settings.keepAlive) { [weak self] in self?.keepAlive(application) }
    if !goOn(application) { connect(application) }
  }

  // With its lines kept, the phone leaves its connection open. Nobody goes on with a call.
  func applicationWillTerminate(_ application: Application) {
    guard application.areLinesKept else { return }
    signals.collect()
    if case .free = call {} else { handle(.hungUp, application) }
    console.event("Connection Kept")
  }

  func applicationDidWake(_ application: Application, reason: WakeReason) {
    switch reason {
    case .network, .resumed: networkChanged(application)
    case .operator, .unfrozen, .lock: finish(application)
    // An event follows, or has been handled before this notice arrived.
    case .data, .closed, .error, .accept, .keepalive, .notification, .accessory, .location, .bluetooth,
      .child, .writable, .refill, .timer, .signal, .url, .fetch, .push:
      break
    }
  }

  // In the background `applicationDidWake` tells it.
  func application(_ application: Application, surroundingsDidChange changes: SurroundingChanges) {
    guard changes.contains(.network), application.applicationState != .background else { return }
    networkChanged(application)
  }

  func application(_ application: Application, didChoose action: String, for token: NotificationToken) {
    signals.collect()
    choose(action, for: token, application)
    finish(application)
  }

  // Shows nothing: the text line was printed when the call came.
  func application(_ application: Application, show call: LocalNotification, as token: NotificationToken) {}

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
      case .notify: handle(.notified, application)
      case .call(let message): handle(.message(message), application)
      }
    }
  }

  /// A call that rings already is replaced.
  func ring(_ application: Application) {
    ringing = raise(
      LocalNotification(body: "New VOIP call", action: "Answer", sound: .default, isCall: true), application,
      replacing: ringing)
  }

  func raise(
    _ content: LocalNotification, _ application: Application, replacing last: NotificationToken? = nil
  ) -> NotificationToken? {
    do throws(LullError) {
      let token = try application.present(content, replacing: last)
      if let action = content.action { console.event("Notification: \(content.body) (\(action))") }
      return token
    } catch {
      console.trouble("Had error: \(error)")
      return nil
    }
  }
}

extension Phone {
  static let schemes = ["sip", "tel"]

  /// Calls the one that a link names, once the connection is open.
  func application(_ application: Application, open url: String) {
    signals.collect()
    if case .idle = calls.state, case .free = call {
      console.event("Link: \(url)")
      wish = .somebody(url)
      if stream?.status == .open { dialWish(application) } else if stream == nil { connectAnew(application) }
    } else {
      console.event("Busy: the phone is in a call")
    }
    finish(application)
  }

  /// Forgets the link without a connection: its user does not expect the call at a later time.
  func giveUpLink() {
    guard case .somebody(let url) = wish else { return }
    wish = nil
    console.trouble("Had error: no connection to call \(url)")
  }
}
