// Deep buffers: a program sleeps while its buffer is heard, and is woken in time to fill it.
extension App {
  mutating func ranLow(_ index: Int, _ turn: inout Turn) {
    guard playbacks[index].session.isDeep else { return }
    guard !isAwake, isWorthFilling(playbacks[index], turn) else { return playbacks[index].need = .unheeded }
    playbacks[index].need = .woken
    wakeToRefill(isHeard: playbacks[index].isAudible(at: turn.now), &turn)
  }

  /// A program that waits for the end of its sound and was put to sleep meanwhile, since nothing of it was heard.
  mutating func drained(_ index: Int, _ turn: inout Turn) {
    guard !isAwake, !playbacks[index].session.isDeep, isWorthFilling(playbacks[index], turn) else { return }
    wakeToRefill(isHeard: playbacks[index].isAudible(at: turn.now), &turn)
  }

  /// A program that was put to sleep while its sound waited for a device has a ring that is soon empty. One with a deep
  /// buffer is woken when that runs low.
  mutating func resumed(_ index: Int, _ turn: inout Turn) {
    let playback = playbacks[index]
    guard !isAwake, playback.isRunning, !playback.session.isDeep, isWorthFilling(playback, turn) else {
      return
    }
    wake(.refill, line: nil, turn.policy.wakeRunTime, &turn)
  }

  /// Buffers ran low while the program was awake, on its way to sleep: nobody has filled them.
  mutating func refillUnheeded(_ turn: inout Turn) {
    var (isNeeded, isHeard) = (false, false)
    for index in playbacks.indices {
      guard case .unheeded = playbacks[index].need, isWorthFilling(playbacks[index], turn) else { continue }
      playbacks[index].need = .woken
      isNeeded = true
      if playbacks[index].isAudible(at: turn.now) { isHeard = true }
    }
    if isNeeded { wakeToRefill(isHeard: isHeard, &turn) }
  }

  /// One that was interrupted goes on with what is left in its buffer.
  mutating func resumeDeep(_ index: Int, _ turn: inout Turn) {
    guard !isAwake, turn.now - playbacks[index].lastHeard < turn.policy.silentRefills else { return }
    playbacks[index].need = .woken
    wakeToRefill(isHeard: playbacks[index].isAudible(at: turn.now), &turn)
  }

  /// What has been silent for long is filled no more: a silent program has no claim to run. What is held needs nothing.
  private func isWorthFilling(_ playback: Playback, _ turn: Turn) -> Bool {
    guard playback.order != .hold else { return false }
    return playback.isAudible(at: turn.now) || turn.now - playback.lastHeard < turn.policy.silentRefills
  }

  private mutating func wakeToRefill(isHeard: Bool, _ turn: inout Turn) {
    wake(.refill, line: nil, isHeard ? turn.policy.wakeRunTime : turn.policy.silentRefillTime, &turn)
  }
}
