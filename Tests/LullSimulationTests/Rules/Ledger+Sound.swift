import LullEngine

extension Ledger {
  func soundReported(_ record: Record, _ session: SessionID, _ report: SoundReport) {
    guard !record.isKilled, let index = record.sounds.firstIndex(where: { $0.id == session }) else { return }
    let hangover = now + .seconds(Int64(policy.audibility.hangoverSeconds))
    switch report {
    case .began:
      if record.sounds[index].isRunning {
        if record.sounds[index].isHeard { record.sounds[index].fade(hangover) }
      } else {
        lastRank += 1
        record.sounds[index].rank = lastRank
        (record.sounds[index].isRunning, record.sounds[index].isDismissed) = (true, false)
        record.sounds[index].wasHeard = false
      }
      let isRefill = record.wake.map { $0.kind == .refill && $0.ends > now } ?? false
      if !record.isHeld, !isRefill { record.sounds[index].lastHeard = now }
      record.startsGrace(record.sounds[index].session, at: now, policy.audibility)
    case .ended:
      (record.sounds[index].isRunning, record.sounds[index].isDismissed) = (false, false)
      record.sounds[index].isLow = false
      if record.sounds[index].isHeard { record.sounds[index].fade(hangover) }
    case .sounding:
      (record.sounds[index].isHeard, record.sounds[index].fades) = (true, nil)
      record.grace?.isEarned = true
      record.sounds[index].lastHeard = now
    case .quiet(let rest):
      record.sounds[index].fade(now + rest)
      record.sounds[index].lastHeard = now
    case .low:
      let isFilled = record.isHeld && record.sounds[index].isWorthFilling(at: now, policy)
      record.sounds[index].isLow = record.sounds[index].session.isDeep && !isFilled
    case .filled: record.sounds[index].isLow = false
    case .drained, .resumed: break
    }
  }

  func interrupted(_ record: Record, _ session: SessionID, _ change: Interruption) {
    guard let index = record.sounds.firstIndex(where: { $0.id == session }) else { return }
    let hangover = now + .seconds(Int64(policy.audibility.hangoverSeconds))
    switch change {
    case .began:
      record.sounds[index].isInterrupted = true
      guard record.sounds[index].isHeard else { return }
      record.sounds[index].fade(hangover)
      record.sounds[index].wasHeard = true
    case .ended(let shouldResume):
      record.sounds[index].isInterrupted = false
      guard shouldResume else { return }
      resumed = session
      if record.isHeld { record.sounds[index].isLow = false }
      guard record.sounds[index].wasHeard else {
        return record.startsGrace(record.sounds[index].session, at: now, policy.audibility)
      }
      record.sounds[index].fade(hangover)
      record.sounds[index].wasHeard = false
      record.sounds[index].lastHeard = now
    }
  }

  /// The run time to fill a buffer: short when nothing of it is heard.
  func refillTime(_ record: Record) -> Interval {
    let isHeard: Bool
    switch event {
    case .sound(record.id, let session, .low), .sound(record.id, let session, .drained):
      isHeard = record.sounds.first { $0.id == session }?.isAudible(at: now) == true
    case .frozen: isHeard = record.fillsLow(at: now, policy)
    default:
      let sound = record.sounds.first { $0.id == resumed }
      isHeard = sound.map { !$0.session.isDeep || $0.isAudible(at: now) } ?? true
    }
    return isHeard ? policy.wakeRunTime : policy.silentRefillTime
  }

  func dismissed(_ app: AppID, _ session: SessionID) {
    guard let index = self[app]?.sounds.firstIndex(where: { $0.id == session }) else { return }
    self[app]?.sounds[index].isRunning = false
    self[app]?.sounds[index].isDismissed = true
  }

  func ordered(_ record: Record, _ session: SessionID, _ order: SoundOrder) {
    guard let index = record.sounds.firstIndex(where: { $0.id == session }) else { return }
    record.sounds[index].order = order
  }
}
