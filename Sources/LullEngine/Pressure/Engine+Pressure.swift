// Short memory: programs that run are warned; then those that can come back are purged, one at a time, as
// long as pressure is reported.
extension Engine {
  mutating func takePressure(_ level: MemoryPressure, _ turn: inout Turn) {
    let isNews: Bool
    if episode == nil {
      episode = MemoryEpisode(level, at: turn.now, policy.pressure)
      apps.forEach { $0.warn(&turn) }
      isNews = true
    } else {
      isNews = episode?.takes(level, at: turn.now) == true
    }
    if isNews {
      turn.note(nil, .pressure(level))
      surroundings.memoryIsShort()
      tellSurroundings(&turn)
    }
    if episode?.callsForStep(level, at: turn.now) == true { stepOn(level, &turn) }
  }

  private mutating func stepOn(_ level: MemoryPressure, _ turn: inout Turn) {
    let candidates = candidates(level)
    guard !candidates.isEmpty else { return rest(level, &turn) }
    let ticket = turn.newTicket()
    episode?.measures(level, ticket, until: turn.now + policy.pressure.measuring)
    turn.perform(.measure(candidates, ticket))
  }

  private mutating func rest(_ level: MemoryPressure, _ turn: inout Turn) {
    guard let (rest, isNew) = episode?.isExhausted(level, at: turn.now, policy.pressure) else { return }
    if isNew { turn.note(nil, .pressureStays(level)) }
    turn.perform(.restPressure(level, rest))
  }

  mutating func measured(_ ticket: Ticket, sizes: [MemorySize], _ turn: inout Turn) {
    guard let measurement = episode?.measurement, measurement.ticket == ticket else { return }
    purgeLargest(sizes, &turn)
  }

  /// The candidates can have changed since the measurement began: a program was woken, or has ended.
  private mutating func purgeLargest(_ sizes: [MemorySize], _ turn: inout Turn) {
    guard let level = episode?.measurement?.level else { return }
    let sized = candidates(level).map { id in
      MemorySize(id, bytes: sizes.first { $0.id == id }?.bytes ?? 0)
    }
    let largest = sized.reduce(nil as MemorySize?) { $0.map(\.bytes) ?? -1 >= $1.bytes ? $0 : $1 }
    episode?.measured(at: turn.now, didPurge: largest != nil, policy.pressure)
    if let largest { touch(largest.id, &turn) { $0.purge(held: largest.bytes, &$1) } }
  }

  /// A program whose call rings is left alone: nobody could answer.
  private func candidates(_ level: MemoryPressure) -> [AppID] {
    var (first, ids): (PurgeRank?, [AppID]) = (nil, [])
    apps.forEach { app in
      guard mayBePurged(app), let rank = app.purgeRank(level), !isRinging(app.registration.name) else {
        return
      }
      if let first, rank > first { return }
      if rank != first { (first, ids) = (rank, []) }
      ids.append(app.id)
    }
    return ids
  }

  private func isRinging(_ program: String) -> Bool {
    centre.pending.contains { $0.content.isCall && $0.program == program }
  }

  // MARK: Time

  var pressureDeadline: Moment { episode?.deadline(policy.pressure) ?? .never }

  mutating func relievePressure(_ turn: inout Turn) {
    if episode?.measurement != nil, pressureDeadline <= turn.now { purgeLargest([], &turn) }
    guard episode != nil, pressureDeadline <= turn.now else { return }
    episode = nil
    turn.note(nil, .pressureRelieved)
  }

  // MARK: The operator

  mutating func purge(_ id: AppID, _ turn: inout Turn) -> Answer {
    guard let app = apps[id], app.isStaying else { return .gone }
    guard !app.registration.isUnmanaged else { return .refused(.isUnmanaged) }
    guard mayBePurged(app) else { return .refused(.cannotComeBack(app.registration.name)) }
    guard !isRinging(app.registration.name) else { return .refused(.callRings(app.registration.name)) }
    touch(id, &turn) { $0.purge(held: nil, &$1) }
    return .done
  }

  /// Nothing is lost when such a program is ended.
  private func mayBePurged(_ app: App) -> Bool {
    guard app.isInReach else { return false }
    return app.registration.settings.isPurgeable
      || app.takesLines && isLaunchable(app.registration.name)
  }

  /// Pressure on memory is being reported.
  public var isMemoryShort: Bool { episode != nil }

  /// The program may be purged when memory is short.
  public func mayBePurged(_ id: AppID) -> Bool { apps[id].map(mayBePurged) ?? false }
}

extension App {
  fileprivate var isInReach: Bool {
    isStaying && !registration.isUnmanaged && !registration.isAdopted
  }
  fileprivate var takesLines: Bool { registration.speaks || registration.settings.keepsLines }

  fileprivate func purgeRank(_ level: MemoryPressure) -> PurgeRank? {
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
  fileprivate mutating func purge(held: Int64?, _ turn: inout Turn) {
    turn.perform(.keepLines(id))
    guard !isAsleep else {
      turn.note(id, .purged(held: held, isAsked: false))
      return kill(.purged, &turn)
    }
    if !isAwake { unfreeze(Wake(reason: .operator, line: nil, moment: turn.now), &turn) }
    turn.note(id, .purged(held: held, isAsked: true))
    end(.purged, &turn)
  }

  /// A library program hears of it as a change around it.
  fileprivate func warn(_ turn: inout Turn) {
    guard isStaying, isAwake, !registration.speaks, registration.settings.memorySignal != nil else { return }
    turn.perform(.warnMemory(id))
  }
}

/// The order in which programs are purged: the first one that has a candidate is used up before the next.
/// Programs that are heard, record or are in a call come after the silent ones of their class.
private enum PurgeRank: Int, Comparable {
  case sleeper, heardSleeper, background, heardBackground, foreground, heardForeground

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
