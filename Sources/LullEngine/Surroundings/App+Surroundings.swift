// The changes around a program (App States and Multitasking, "Processing Queued Notifications at Wakeup
// Time"), and what stands before a program in the foreground.
extension App {
  /// Forgets what the program before this one had seen in its place.
  mutating func beginToLook(_ turn: inout Turn) {
    seen = turn.surroundings.atRegistration
    (hasNewSettings, isBehindCall, hasProtectedData) = (false, false, true)
    tellChanges(&turn)
  }

  mutating func surroundingsChanged(_ turn: inout Turn) {
    if isAwake { tellChanges(&turn) }
  }

  mutating func settingsChanged(_ turn: inout Turn) {
    hasNewSettings = true
    if isAwake { tellChanges(&turn) }
  }

  /// A command knows nothing of Lull.
  mutating func tellChanges(_ turn: inout Turn) {
    guard isStaying, registration.speaks else { return }
    let now = turn.surroundings
    var changes = now.changes(since: seen)
    if hasNewSettings { changes.insert(.settings) }
    (seen, hasNewSettings) = (now, false)
    guard !changes.isEmpty else { return }
    turn.perform(.changed(id, SurroundingNews(changes, isLocked: now.isLocked, power: now.power)))
  }

  /// True while the user sees something else than the program.
  func isCovered(_ turn: Turn) -> Bool {
    registration.speaks && (turn.surroundings.isLocked || turn.surroundings.isAboutToSleep || isBehindCall)
  }

  /// A program closes the files that the lock protects after it has resigned.
  mutating func followLock(_ turn: Turn) {
    let isLocked = turn.surroundings.isLocked
    guard registration.speaks, isAwake, hasProtectedData == isLocked else { return }
    if isLocked, state == .active { return mail.enqueue([.willResignActive]) }
    hasProtectedData = !isLocked
    let message: DelegateMessage =
      if isLocked { .protectedDataWillBecomeUnavailable } else { .protectedDataDidBecomeAvailable }
    mail.enqueue([message])
  }

  /// A call of another program comes before every program that is in the foreground when the call begins.
  mutating func callsChanged(othersCall: Bool, begins: Bool) -> Bool {
    let wasBehind = isBehindCall
    isBehindCall = othersCall && (isBehindCall || begins && registration.speaks && target == .foreground)
    return isBehindCall != wasBehind
  }
}
