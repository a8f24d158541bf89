import Lull

// Events of the output.
extension QueuePlayer {
  func handle(_ event: AudioSession.Event) {
    guard output != nil else { return }
    defer { onEventHandled?() }
    switch event {
    case .wantsFrames, .stateChanged: pump()
    case .interruptionBegan: interrupt(.otherSound)
    case .interruptionEnded(let shouldResume): resume(shouldResume)
    case .routeChanged(let device?): route(to: device)
    case .routeChanged(nil): loseDevice()
    case .failed(let error): give(up: "\(error)", at: place)
    }
  }

  private func interrupt(_ cause: Interruptions) {
    let before = status
    interruptions.insert(cause)
    if status != before { observer?(.status) }
  }

  private func endInterruption(_ cause: Interruptions) {
    let before = status
    interruptions.remove(cause)
    if status != before { observer?(.status) }
  }

  /// With `shouldResume` the sound goes on by itself; without, the user decides.
  private func resume(_ shouldResume: Bool) {
    guard interruptions.contains(.otherSound) else { return }
    if intent == .playing, !shouldResume { pause() }
    endInterruption(.otherSound)
  }

  /// The frames wait in the output, which goes on where it stopped when there is a device again.
  private func loseDevice() {
    interrupt(.noDevice)
    tell("no sound device can be opened; the music goes on when one can")
  }

  private func route(to device: String) {
    endInterruption(.noDevice)
    tell("the sound goes to \(device)")
  }
}
