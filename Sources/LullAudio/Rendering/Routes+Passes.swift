// One pass for each wake-up, which returns the time of the next.
extension Routes {
  /// Runs a pass at `now` and returns the time of the next one; nil when none is due until a session changes.
  package func pass(now: Int64) -> Int64? {
    comeBack(now: now)
    passLanes(now: now)
    fallBack(now: now)
    passLanes(now: now)
    prune()
    return next
  }

  private func passLanes(now: Int64) {
    for lane in lanes where lane.isTouched || lane.due.map({ $0 <= now }) ?? false {
      lane.isTouched = false
      let due = lane.station.pass(now: now)
      let end = lane.name == usual ? nil : lane.station.missingSince.map { $0 + Self.bound }
      lane.due = [due, end.flatMap { $0 > now ? $0 : nil }].compactMap { $0 }.min()
    }
  }

  /// Moves the sessions of devices that are missing for too long to the usual device, if that can be opened.
  private func fallBack(now: Int64) {
    for lane in lanes where lane.name != usual {
      guard let since = lane.station.missingSince, now - since >= Self.bound, isOpen(usual) || canOpen(usual)
      else { continue }
      let hasProved = now - lane.since >= Self.trial + Self.bound || lane.patience == 0
      let patience = hasProved ? Self.patiences.lowerBound : min(2 * lane.patience, Self.patiences.upperBound)
      miss(lane.name, patience, now: now)
      for index in seats.indices where seats[index].lane === lane {
        carry(index, to: usual, .oldDeviceUnavailable, now: now)
      }
    }
  }

  /// Moves sessions back to devices that can be opened again.
  private func comeBack(now: Int64) {
    for absence in absences where absence.probeAt <= now && isNeeded(absence) {
      absences.removeAll { $0.name == absence.name }
      guard canOpen(absence.name) else {
        miss(absence.name, min(2 * absence.patience, Self.patiences.upperBound), now: now)
        continue
      }
      _ = lane(absence.name, patience: absence.patience, now: now)
      for index in seats.indices where seats[index].wanted == absence.name {
        carry(index, to: absence.name, .newDeviceAvailable, now: now)
      }
    }
  }

  /// True when a session needs the missing device: no wake-up is spent on a device that nothing would use.
  private func isNeeded(_ absence: Absence) -> Bool {
    seats.contains { $0.wanted == absence.name && $0.lane.station.needsDevice($0.id) }
  }

  private var next: Int64? {
    let probes = absences.filter(isNeeded).map(\.probeAt)
    return (lanes.compactMap(\.due) + probes).min()
  }
}

extension Routes {
  package var usualDevice: BoardDevice { lanes.first { $0.name == usual }?.station.device ?? .closed }
  package var sessions: [Place.Session] { lanes.flatMap(\.station.sessions) }

  /// The state of the device of each session, in the order of `sessions`.
  package var devices: [BoardDevice] {
    lanes.flatMap { repeatElement($0.station.device, count: $0.station.sessions.count) }
  }

  /// The library's text for the reason why a device could not be opened; empty when none has failed.
  package var complaint: String { lanes.lazy.map(\.station.complaint).first { !$0.isEmpty } ?? "" }
}
