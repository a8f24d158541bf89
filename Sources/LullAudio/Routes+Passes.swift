// One pass for each wake-up, which says when the next one is due.
extension Routes {
  /// Does what is due and returns when the next pass is: nil when nothing is until a session changes.
  public func pass(now: Int64) -> Int64? {
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

  /// Devices that are missing for too long give their sessions to the usual one, if that is there.
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

  /// Devices that are there again get their sessions back.
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

  /// Nobody is woken for a device on which nothing is to be heard.
  private func isNeeded(_ absence: Absence) -> Bool {
    seats.contains { $0.wanted == absence.name && $0.lane.station.needsDevice($0.id) }
  }

  private var next: Int64? {
    let probes = absences.filter(isNeeded).map(\.probeAt)
    return (lanes.compactMap(\.due) + probes).min()
  }
}

// What is shown.
extension Routes {
  /// How the usual device stands.
  public var usualDevice: BoardDevice { lanes.first { $0.name == usual }?.station.device ?? .closed }

  /// The sessions of all devices.
  public var sessions: [Place.Session] { lanes.flatMap(\.station.sessions) }

  /// How the device of each of them stands.
  public var devices: [BoardDevice] {
    lanes.flatMap { repeatElement($0.station.device, count: $0.station.sessions.count) }
  }

  /// Why a device could not be opened, in the library's words; empty when none has failed.
  public var complaint: String { lanes.lazy.map(\.station.complaint).first { !$0.isEmpty } ?? "" }
}
