import Lull
import LullSystem
import LullWire

/// The client of the seeds: it keeps one connection, answers on it, and sleeps in between.
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
    /// Where it rings; nil: without a sound.
    var ringDevice: AudioDevice?
  }

  /// What came of it.
  private(set) var hasFailed = false
  let settings: Settings
  let console: Console
  private let signals: SleepSignals
  private var conversation = PhoneConversation()
  private var backoff = Backoff()
  private(set) var stream: VoIPStream?
  var calls = CallConversation()
  var line = CallLineState.free
  var hasDialed = false
  let ringer = Ringer()
  private var connecting: BackgroundTask?

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
    handle(line.offersHangUp(token) ? .hungUp : .answered, application)
    finish(application)
  }

  // The line has been printed when the call came.
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
    if sleeps, connecting == nil, case .free = line { signals.release() }
  }

  private func perform(_ outputs: [PhoneConversation.Output], _ application: Application) {
    for output in outputs {
      switch output {
      case .print(let text): console.event(text)
      case .send(let line): stream?.write(line.bytes)
      case .notify: ring(application)
      case .call(let line): handle(.line(line), application)
      }
    }
  }

  func ring(_ application: Application) {
    if let device = settings.ringDevice {
      ringer.start(application, on: device) { [console] in console.trouble("Had error: the ring tone: \($0)")
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

// Connecting.
extension Phone {
  private func connect(_ application: Application) {
    stayAwake(application)
    do throws(LullError) {
      stream = try VoIPStream(
        host: settings.destination.host, port: settings.destination.port, application: application,
        offload: settings.offload ? .line : []
      ) { [weak self] stream, event in self?.handle(event, of: stream, application) }
    } catch {
      failed(error, application)
    }
  }

  private func handle(_ event: VoIPStream.Event, of stream: VoIPStream, _ application: Application) {
    signals.collect()
    switch event {
    case .openCompleted:
      conversation = PhoneConversation()
      backoff.reset()
      perform(conversation.opened(), application)
      mayRest(application)
      return dialFirst(application)
    case .hasSpaceAvailable: perform(conversation.spaceAvailable(), application)
    case .hasBytesAvailable: perform(conversation.received(stream.read()[...]), application)
    case .endEncountered:
      perform(conversation.ended(), application)
      return retry(application)
    case .errorOccurred(let error): return failed(error, application)
    }
    finish(application)
  }

  private func failed(_ error: LullError, _ application: Application) {
    hasFailed = !settings.reconnects
    console.trouble("Had error: \(error)")
    retry(application)
  }

  /// Tries again later. A short wait is spent awake; after a long one the phone tries when it is awake next, at the
  /// latest at its keep-alive.
  private func retry(_ application: Application) {
    stream = nil
    handle(.disconnected, application)
    guard settings.reconnects else { return application.stop() }
    let wait = backoff.next()
    console.event("Reconnecting in \(wait) s")
    if backoff.staysAwake { stayAwake(application) } else { mayRest(application) }
    application.schedule(after: Double(wait)) { [weak self] in
      self?.signals.collect()
      self?.connect(application)
    }
    finish(application)
  }

  private func stayAwake(_ application: Application) {
    guard connecting == nil else { return }
    do throws(LullError) {
      connecting = try application.beginBackgroundTask(named: "connect") { [weak self] in
        self?.mayRest(application)
      }
    } catch {
      // No time is left in this stay in the background: the attempt goes on at the next wake.
      console.trouble("Had error: \(error)")
    }
  }

  private func mayRest(_ application: Application) {
    if let connecting { application.endBackgroundTask(connecting) }
    connecting = nil
  }
}
