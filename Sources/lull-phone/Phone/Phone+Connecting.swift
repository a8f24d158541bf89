import Lull

extension Phone {
  /// The next life of the phone finds the connection to the server by it.
  private static let lineName = "server"

  /// Goes on with the connection of the phone's last life; false without one.
  func goOn(_ application: Application) -> Bool {
    guard let line = application.restoredLines.first(where: { $0.name == Phone.lineName }) else {
      return false
    }
    do throws(LullError) {
      conversation = PhoneConversation(state: line.state)
      stream = try line.stream { [weak self] stream, event in self?.handle(event, of: stream, application) }
      console.event("Connection Restored")
      finish(application)
      return true
    } catch {
      console.trouble("Had error: \(error)")
      conversation = PhoneConversation()
      line.release()
      return false
    }
  }

  private func saveState() {
    guard let stream, stream.status == .open, stream.state != conversation.state else { return }
    do throws(LullError) {
      try stream.setState(conversation.state)
    } catch {
      console.trouble("Had error: \(error)")
    }
  }

  func connect(_ application: Application) {
    stayAwake(application)
    do throws(LullError) {
      stream = try VoIPStream(
        host: settings.destination.host, port: settings.destination.port, application: application,
        offload: settings.offload ? .line : [], name: Phone.lineName
      ) { [weak self] stream, event in self?.handle(event, of: stream, application) }
    } catch {
      failed(error, application)
    }
  }

  /// The way to the server may be another one: an open connection is tested, and one that is missing is made
  /// at once.
  func networkChanged(_ application: Application) {
    signals.collect()
    backoff.reset()
    guard stream?.status == .open else { return connectAnew(application) }
    perform(conversation.keepAlive(), application)
    test?.cancel()
    test = application.schedule(after: Phone.testTime) { [weak self] in self?.noAnswer(application) }
  }

  private func noAnswer(_ application: Application) {
    console.event("No answer to ping")
    guard settings.reconnects else {
      stream?.close()
      return retry(application)
    }
    connectAnew(application)
  }

  func connectAnew(_ application: Application) {
    stream?.close()
    stream = nil
    attempt?.cancel()
    test?.cancel()
    handle(.disconnected, application)
    connect(application)
  }

  private func handle(_ event: VoIPStream.Event, of stream: VoIPStream, _ application: Application) {
    signals.collect()
    switch event {
    case .openCompleted:
      conversation = PhoneConversation()
      backoff.reset()
      perform(conversation.opened(), application)
      mayRest(application)
      return dialWish(application)
    case .hasSpaceAvailable: perform(conversation.spaceAvailable(), application)
    case .hasBytesAvailable:
      test?.cancel()
      perform(conversation.received(stream.read()[...]), application)
    case .endEncountered:
      perform(conversation.ended(), application)
      return retry(application)
    case .errorOccurred(let error): return failed(error, application)
    }
    saveState()
    finish(application)
  }

  private func failed(_ error: LullError, _ application: Application) {
    hasFailed = !settings.reconnects
    console.trouble("Had error: \(error)")
    retry(application)
  }

  /// Connects again later. A short wait is spent awake, a long one asleep.
  private func retry(_ application: Application) {
    stream = nil
    test?.cancel()
    handle(.disconnected, application)
    giveUpLink()
    guard settings.reconnects else { return application.stop() }
    let wait = backoff.next()
    console.event("Reconnecting in \(wait) s")
    if backoff.staysAwake { stayAwake(application) } else { mayRest(application) }
    attempt = application.schedule(after: Double(wait), wakes: true) { [weak self] in
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

/// The wait before a new attempt to connect: 1 s, doubled up to 10 minutes.
struct ConnectPause {
  private static let longest = 600
  /// The phone is awake for so long a wait; for the attempt after a longer one it is woken.
  private static let longestAwake = 8
  private var last = 0

  /// In seconds.
  mutating func next() -> Int {
    last = last == 0 ? 1 : min(2 * last, ConnectPause.longest)
    return last
  }

  var staysAwake: Bool { last <= ConnectPause.longestAwake }

  mutating func reset() { last = 0 }
}
