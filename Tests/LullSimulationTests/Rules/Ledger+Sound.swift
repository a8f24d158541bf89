import LullEngine

extension Ledger {
  func soundReported(_ record: Record, session: SessionID, report: SessionReport) {
    guard !record.isKilled, let index = record.sounds.firstIndex(where: { $0.id == session }) else { return }
    switch report {
    case .began:
      guard !record.sounds[index].isRunning else { return }
      lastRank += 1
      record.sounds[index].rank = lastRank
      (record.sounds[index].isRunning, record.sounds[index].isDismissed) = (true, false)
      record.startsGrace(record.sounds[index].session, at: now, policy.audibility)
    case .ended: (record.sounds[index].isRunning, record.sounds[index].isDismissed) = (false, false)
    case .resumed:
      guard record.isHeld, record.sounds[index].isRunning else { return }
      record.startsGrace(record.sounds[index].session, at: now, policy.audibility)
    case .low, .filled, .drained, .cut: break
    }
  }

  func heard(_ record: Record, scope: AudioScope, report: AudibilityReport) {
    guard record.isStaying else { return }
    let wasHeard = record.ears[scope, default: Record.Ear()].isHeard
    switch report {
    case .sounding: record.ears[scope] = Record.Ear(isHeard: true)
    case .quiet(let rest): record.ears[scope] = Record.Ear(fades: now + min(rest, policy.longest))
    }
    guard wasHeard || report == .sounding else { return }
    record.lastHeard = now
    (record.lastGrace, record.lastOpened) = (nil, nil)
    guard scope == .live else { return }
    let spoken =
      record.registration.settings.silence ?? .seconds(Int64(policy.audibility.spokenHangoverSeconds))
    record.callFades = report == .sounding ? nil : now + spoken
  }

  func interrupted(_ record: Record, session: SessionID, change: Interruption) {
    guard let index = record.sounds.firstIndex(where: { $0.id == session }) else { return }
    record.sounds[index].isInterrupted = change == .began
    guard case .ended(shouldResume: true) = change else { return }
    record.startsGrace(record.sounds[index].session, at: now, policy.audibility)
  }

  /// The run time to fill a buffer: short and rare when nothing of the program is audible.
  func refillTime(_ record: Record) -> Interval {
    if record.soundHolds(at: now) || record.ear(.all, at: now) { return policy.wakeRunTime }
    record.refill.wokenAt = now
    record.refill.next = now + policy.silentRefillTime.scaled(by: policy.silentRefillShare + 1)
    return policy.silentRefillTime
  }

  func dismissed(_ app: AppID, _ session: SessionID) {
    guard let index = self[app]?.sounds.firstIndex(where: { $0.id == session }) else { return }
    self[app]?.sounds[index].isRunning = false
    self[app]?.sounds[index].isDismissed = true
  }

  func ordered(_ record: Record, session: SessionID, order: AudioOrder) {
    guard let index = record.sounds.firstIndex(where: { $0.id == session }) else { return }
    record.sounds[index].order = order
  }
}
