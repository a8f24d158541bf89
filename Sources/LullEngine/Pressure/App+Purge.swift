extension App {
  var isInReach: Bool { isStaying && !registration.isUnmanaged }
  var takesLines: Bool { registration.speaks || registration.settings.keepsLines }

  /// Returns nil for a program that is not purged now.
  func purgeRank(_ level: MemoryPressure) -> PurgeRank? {
    if isAsleep { return isHeard ? .heardSleeper : .sleeper }
    // A freeze that is under way is soon over, and so is a launch.
    guard level == .critical, isAwake, isLaunched else { return nil }
    switch state {
    case .background: return isHeard ? .heardBackground : .background
    case .active, .inactive: return isHeard ? .heardForeground : .foreground
    case .notRunning, .suspended: return nil
    }
  }

  private var isHeard: Bool { !soundLeases().isEmpty || hearing.isSounding(.all) }

  /// `held` is nil when the operator says so. A sleeper gets no message; any other program is asked to end
  /// first. The shell keeps what can be kept of the lines before.
  mutating func purge(held: Int64?, _ turn: inout Turn) {
    turn.perform(.keepLines(id))
    guard !isAsleep else {
      turn.note(id, .purged(held: held, isAsked: false))
      return kill(.purged, &turn)
    }
    if !isAwake { unfreeze(Wake(reason: .operator, line: nil, moment: turn.now), &turn) }
    turn.note(id, .purged(held: held, isAsked: true))
    end(.purged, &turn)
  }

  /// A library program is told by the change around it.
  func warn(_ turn: inout Turn) {
    guard isStaying, isAwake, !registration.speaks, registration.settings.memorySignal != nil else { return }
    turn.perform(.warnMemory(id))
  }
}
