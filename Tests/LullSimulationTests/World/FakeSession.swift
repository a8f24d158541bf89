import LullEngine

/// An audio session, its ring and the reports of lull-audio about it.
final class FakeSession {
  let id: SessionID
  let declared: SessionTraits
  var order = AudioOrder.play
  var isWanted = false
  var hasFrames = false
  var isLoud = false
  var hasBegun = false, isLow = false
  /// The number of changes; what was planned before the last change is stale.
  var age = 0

  init(id: SessionID, declared: SessionTraits) {
    self.id = id
    self.declared = declared
  }

  var plays: Bool { isWanted && hasFrames }
  /// True while its frames are used up.
  var flows: Bool { plays && order != .hold }
  var isHeard: Bool { flows && isLoud && declared.direction == .play }
}

/// A happening of a session.
enum SoundAct {
  /// lull-audio checks whether the session plays, and reports it.
  case observe
  /// The frames become loud, or silent.
  case turn
  /// lull-audio has played enough to report whether the session is audible.
  case evaluate
  case runsLow, runsDry
  case fill
  case cut
}
