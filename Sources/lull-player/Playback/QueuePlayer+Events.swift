import Lull

// What the output tells.
extension QueuePlayer {
  func handle(_ event: AudioSession.Event) {
    guard output != nil else { return }
    defer { onEventHandled?() }
    switch event {
    case .wantsFrames, .stateChanged: pump()
    case .interruptionBegan: interrupt()
    case .interruptionEnded(let shouldResume): resume(shouldResume)
    case .routeChanged(let device?): tell("the sound goes to \(device)")
    case .routeChanged(nil): loseDevice()
    case .failed(let error): give(up: "\(error)", at: place)
    }
  }

  private func interrupt() {
    isInterrupted = true
    if intent == .playing { observer?(.status) }
  }

  /// With `shouldResume` it is heard again by itself; without, the user decides.
  private func resume(_ shouldResume: Bool) {
    guard isInterrupted else { return }
    isInterrupted = false
    guard intent == .playing else { return }
    if shouldResume { observer?(.status) } else { pause() }
  }

  /// As when headphones are pulled out: the music must not go on by itself where others hear it.
  private func loseDevice() {
    pause()
    tell("the sound device is gone")
  }
}
