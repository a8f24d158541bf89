// What a program is told of other programs' sound, and of the device.
extension App {
  /// Changes how the sessions are heard; true when any of it changed.
  mutating func obey(_ scene: SoundScene, _ turn: inout Turn) -> Bool {
    var hasChanged = false
    for index in playbacks.indices {
      let (order, obstacle) = scene.verdict(on: playbacks[index], of: self)
      let wasInterrupted = playbacks[index].isInterrupted
      met(obstacle, index, &turn)
      if wasInterrupted != playbacks[index].isInterrupted { hasChanged = true }
      if obstacle == .music, playbacks[index].isRunning {
        // Nothing begins to play here any more: the program may be idle from now on.
        playbacks[index].claim = .dismissed
        hasChanged = true
      }
      guard order != playbacks[index].order else { continue }
      playbacks[index].order = order
      turn.perform(.order(id, playbacks[index].id, order))
      hasChanged = true
    }
    return hasChanged
  }

  /// An obstacle that was there already may be news: music that is started anew and loses again.
  private mutating func met(_ obstacle: Playback.Obstacle, _ index: Int, _ turn: inout Turn) {
    switch obstacle {
    case .background: break
    case .call, .music:
      guard playbacks[index].isRunning, !playbacks[index].isInterrupted else { return }
      interrupt(index, .began, &turn)
    case .dismissal:
      if playbacks[index].isInterrupted { interrupt(index, .ended(shouldResume: false), &turn) }
    case .none:
      guard playbacks[index].isInterrupted else { return }
      interrupt(index, .ended(shouldResume: playbacks[index].isRunning), &turn)
      if playbacks[index].isRunning { resume(index, &turn) }
    }
  }

  /// It goes on with what is left in its ring, and needs its program for more.
  private mutating func resume(_ index: Int, _ turn: inout Turn) {
    giveStartGrace(playbacks[index].session, &turn)
    wakeForSound(&turn)
    if playbacks[index].session.isDeep { resumeDeep(index, &turn) }
  }

  private mutating func interrupt(_ index: Int, _ change: Interruption, _ turn: inout Turn) {
    playbacks[index].isInterrupted = change == .began
    playbacks[index].notice = change
    turn.note(id, .interrupted(playbacks[index].id, change))
    if isAwake { tellMissed(&turn) }
  }

  mutating func routeChanged(_ turn: inout Turn) {
    guard !playbacks.isEmpty else { return }
    missedRoute = true
    if isAwake { tellMissed(&turn) }
  }

  /// Tells the program what holds now; one that slept is told so after its thaw, before it is told why it woke.
  mutating func tellMissed(_ turn: inout Turn) {
    for index in playbacks.indices {
      guard let change = playbacks[index].notice else { continue }
      playbacks[index].notice = nil
      // One interruption ended and another began while it slept.
      if change == .began, playbacks[index].knowsInterruption { continue }
      playbacks[index].knowsInterruption = change == .began
      turn.perform(.interruption(id, playbacks[index].id, change))
    }
    if missedRoute, !playbacks.isEmpty { turn.perform(.route(id)) }
    missedRoute = false
  }
}
