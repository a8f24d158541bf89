import LullEngine

// The phase of a program's freeze.
extension Freezer {
  /// True when the freeze was not taken back meanwhile: a freeze written after that would never be undone.
  func isDecided(_ id: AppID, _ ticket: Ticket) -> Bool {
    if case .decided(ticket)? = programs[id]?.phase { true } else { false }
  }

  /// True when the program is asked for its descriptors.
  func isPreparing(_ id: AppID, _ ticket: Ticket) -> Bool {
    if case .preparing(ticket)? = programs[id]?.phase { true } else { false }
  }

  /// The look that is under way; nil when it was taken back.
  func looks(_ id: AppID) -> ProgramLook? {
    if case .looking(let look)? = programs[id]?.phase { look } else { nil }
  }

  /// The ticket of the observation that is under way.
  func observes(_ id: AppID) -> Ticket? {
    if case .observing(let ticket, _)? = programs[id]?.phase { ticket } else { nil }
  }

  /// The ticket of the watch that is under way.
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

  /// True when the engine takes the program for frozen.
  func isFrozen(_ id: AppID) -> Bool { programs[id]?.isFrozen == true }

  /// Every program that the engine takes for frozen.
  var frozen: [AppID] { programs.ids.filter(isFrozen) }
}
