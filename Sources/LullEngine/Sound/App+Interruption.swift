// The news to a program of other programs' sound, and of the route.
extension App {
  mutating func obey(_ scene: AudioScene, _ turn: inout Turn) -> Bool {
    var hasChanged = false
    for index in playbacks.indices {
      let (order, loss) = scene.verdict(on: playbacks[index], of: self)
      let wasInterrupted = playbacks[index].isInterrupted
      lost(loss, at: index, &turn)
      if wasInterrupted != playbacks[index].isInterrupted { hasChanged = true }
      if loss == .music, playbacks[index].isRunning {
        // Dismissed music no longer begins to play: the program may be idle from now on.
        playbacks[index].focus = .dismissed
        hasChanged = true
      }
      guard order != playbacks[index].order else { continue }
      playbacks[index].order = order
      turn.perform(.order(id, playbacks[index].id, order))
      hasChanged = true
    }
    return hasChanged
  }

  /// A cause that was there already may be news: music that is started anew and loses again.
  private mutating func lost(_ loss: Playback.FocusLoss, at index: Int, _ turn: inout Turn) {
    switch loss {
    case .background: break
    case .call, .music:
      guard playbacks[index].isRunning, !playbacks[index].isInterrupted else { return }
      interrupt(at: index, .began, &turn)
    case .dismissal:
      if playbacks[index].isInterrupted { interrupt(at: index, .ended(shouldResume: false), &turn) }
    case .none:
      guard playbacks[index].isInterrupted else { return }
      interrupt(at: index, .ended(shouldResume: playbacks[index].isRunning), &turn)
      if playbacks[index].isRunning { resume(index, &turn) }
    }
  }

  /// The session needs its program for more than the rest of its ring.
  private mutating func resume(_ index: Int, _ turn: inout Turn) {
    giveStartGrace(playbacks[index].session, &turn)
    wakeForSound(&turn)
    if playbacks[index].session.isDeep { resumeDeep(index, &turn) }
  }

  private mutating func interrupt(at index: Int, _ change: Interruption, _ turn: inout Turn) {
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

  /// A program that slept is told after its thaw, before the reason of its wake.
  mutating func tellMissed(_ turn: inout Turn) {
    for index in playbacks.indices {
      guard let change = playbacks[index].notice else { continue }
      playbacks[index].notice = nil
      // One interruption ended and another began while the program slept.
      if change == .began, playbacks[index].knowsInterruption { continue }
      playbacks[index].knowsInterruption = change == .began
      turn.perform(.interruption(id, playbacks[index].id, change))
    }
    if missedRoute, !playbacks.isEmpty { turn.perform(.route(id)) }
    missedRoute = false
    tellChanges(&turn)
  }
}
