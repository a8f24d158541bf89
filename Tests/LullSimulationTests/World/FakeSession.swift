import LullEngine

/// A session of sound, its ring and what whoever plays it has told of it.
final class FakeSession {
  let id: SessionID
  let declared: SoundSession
  var order = SoundOrder.play
  /// The program wants it to play.
  var isWanted = false
  /// There are frames to play.
  var hasFrames = false
  /// What is in the ring can be heard.
  var isLoud = false
  /// Told of it.
  var hasBegun = false, isLow = false
  /// Counts the changes; what was planned before the last one is stale.
  var age = 0

  init(id: SessionID, declared: SoundSession) {
    self.id = id
    self.declared = declared
  }

  var plays: Bool { isWanted && hasFrames }
  /// Its frames are used up.
  var flows: Bool { plays && order != .hold }
  var isHeard: Bool { flows && isLoud && declared.direction == .play }
}

/// What happens to a session in the ring of time.
enum SoundAct {
  /// Its player looks whether it plays, and tells.
  case look
  /// The frames become loud, or silent.
  case turn
  /// Its player has heard long enough to tell whether it can be heard.
  case judge
  case runsLow, runsDry
  case fill
  case cut
}
