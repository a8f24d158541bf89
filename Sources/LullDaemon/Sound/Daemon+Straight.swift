import LullEngine

// Streams that go straight to a sound server are measured while nothing but their sound keeps a program
// awake. In the engine a session stands for them, so that the leases of sound follow from what is heard.
extension Daemon {
  /// Has the streams of a program measured that could sleep but for them, which its observation has found.
  func listen(to id: AppID) {
    guard let registration = engine.registration(of: id), registration.sleepsByItself,
      registration.settings.modes.contains(.audio)
    else { return }
    let clients = observer.soundClients(of: id)
    carryOut(sound.listen(to: id, clients, silence: registration.settings.silence))
  }

  /// Ends the measuring for programs that something else keeps awake by now.
  func leaveHeld() {
    let left = sound.listened.filter { !isHeldBySoundAlone($0) }
    guard !left.isEmpty else { return }
    for id in left { carryOut(sound.leave(id)) }
    pump()
  }

  private func isHeldBySoundAlone(_ id: AppID) -> Bool {
    guard let view = engine.program(id, at: now), view.state == .background else { return false }
    // A wake forbids no sleep by itself.
    return view.leases.allSatisfy { [.audible, .wake, .refill].contains($0.kind) }
  }

  func streamsChanged(of id: AppID, areMeasured: Bool) {
    guard areMeasured else {
      if let session = sound.straightSession(of: id) { host.queue(.sound(id, session, .ended)) }
      return
    }
    guard let session = sound.straightSession(of: id) ?? openStraightSession(of: id) else { return }
    feed(.sound(id, session, .began))
  }

  private func openStraightSession(of id: AppID) -> SessionID? {
    var traits = SessionTraits(category: .playback)
    traits.mixesWithOthers = true
    guard case .session(let session) = ask(.openSession(id, traits)) else { return nil }
    sound.setStraightSession(session, of: id)
    return session
  }
}
