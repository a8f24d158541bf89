extension PlaySession {
  /// Takes note whether the session plays; true when that is news for the daemon.
  func note(isPlaying: Bool) -> Bool {
    defer { hasBegun = isPlaying }
    return isPlaying != hasBegun
  }

  /// Takes note of the level of the ring; true when that is news for the daemon.
  func note(_ level: Level) -> Bool {
    defer { ringLevel = level }
    return level != ringLevel
  }

  /// Adds the session's frames to the sound of its program.
  func join(_ ear: Ear) {
    ear.add(self)
    self.ear = ear
  }

  /// Ends a fade: the session goes on at the loudness of its order.
  func endFade() { envelope = Ramp(Self.target(order)) }

  /// Shortens a fade to the frames that stay in the device.
  func pullFade(to place: UInt64) { envelope.pull(to: place) }
}
