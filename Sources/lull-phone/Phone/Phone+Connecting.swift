import Lull

// Connecting.
extension Phone {
  func connect(_ application: Application) {
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

  /// Connects again later. A short wait is spent awake; after a long one the phone connects at its next wake,
  /// at the latest at its keep-alive.
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
