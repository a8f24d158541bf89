import LullEngine

extension Freezer {
  /// True when the freeze was not taken back meanwhile: a freeze written after that would never be undone.
  func isDecided(_ id: AppID, _ ticket: Ticket) -> Bool {
    if case .decided(ticket)? = programs[id]?.phase { true } else { false }
  }

  func isPreparing(_ id: AppID, _ ticket: Ticket) -> Bool {
    if case .preparing(ticket)? = programs[id]?.phase { true } else { false }
  }

  /// Nil when the look was taken back.
  func looks(_ id: AppID) -> ProgramLook? {
    if case .looking(let look)? = programs[id]?.phase { look } else { nil }
  }

  func observes(_ id: AppID) -> Ticket? {
    if case .observing(let ticket, _)? = programs[id]?.phase { ticket } else { nil }
  }

  func arms(_ id: AppID) -> Ticket? {
    if case .arming(let ticket, _, _)? = programs[id]?.phase { ticket } else { nil }
  }

  /// True when the program is asleep and any readiness wakes it.
  func wakesAtOnce(_ id: AppID) -> Bool {
    if case .asleep(_, wakesAtOnce: true)? = programs[id]?.phase { true } else { false }
  }

  /// True when the program was thawed in this turn and the engine has not been told.
  func isThawed(_ id: AppID) -> Bool {
    if case .thawedAtOnce? = programs[id]?.phase { true } else { false }
  }

  func isFrozen(_ id: AppID) -> Bool { programs[id]?.isFrozen == true }

  var frozen: [AppID] { programs.ids.filter(isFrozen) }
}
