extension Engine {
  mutating func surround(_ change: Surrounding, _ turn: inout Turn) {
    if case .settings(let id) = change { return _ = touch(id, &turn) { $0.settingsChanged(&$1) } }
    surroundings.take(change)
    tellSurroundings(&turn)
  }

  mutating func setClock(_ offset: Int64, _ turn: inout Turn) {
    centre.setOffset(offset, at: turn.now)
    if surroundings.setClock(offset, at: turn.now) { tellSurroundings(&turn) }
  }

  /// A sleeper is told at its next wake.
  mutating func tellSurroundings(_ turn: inout Turn) {
    turn.surroundings = surroundings
    // The windows of fetches depend on the route and on the power.
    launching.surroundingsChanged()
    for slot in 0..<apps.capacity where apps.updateSlot(slot, { $0.surroundingsChanged(&turn) }) != nil {
      settle(slot, &turn)
    }
  }

  /// Puts a call before the programs in the foreground when it begins, until no other program is in a call.
  /// A program that is in a call itself stays where it is.
  mutating func arrangeCalls(_ scene: AudioScene, _ turn: inout Turn) {
    let begins = scene.callers.contains { !callers.contains($0) }
    guard begins || scene.callers != callers else { return }
    callers = scene.callers
    for slot in 0..<apps.capacity {
      let hasChanged = apps.updateSlot(slot) { app in
        let calls = scene.callers.contains(app.id)
        return app.callsChanged(othersCall: !calls && !scene.callers.isEmpty, begins: begins)
      }
      if hasChanged == true { settle(slot, &turn) }
    }
  }

  /// Tells what has come and gone, and wakes the programs that are there for it.
  mutating func tellAccessories(_ turn: inout Turn) {
    guard accessories.due <= turn.now else { return }
    let news = accessories
    accessories = AccessoryNews()
    turn.note(nil, .accessories(news.devices))
    surround(.accessory, &turn)
    for slot in 0..<apps.capacity where apps.updateSlot(slot, { $0.accessoriesChanged(news, &turn) }) == true
    {
      settle(slot, &turn)
    }
  }
}

// The changes around a program (App States and Multitasking, "Processing Queued Notifications at Wakeup
// Time"), and what stands before a program in the foreground.
extension App {
  /// Forgets what the program before this one had seen in its place.
  mutating func beginToLook(_ turn: inout Turn) {
    seen = turn.surroundings.atRegistration
    (hasNewSettings, isBehindCall, hasProtectedData) = (false, false, true)
    tellChanges(&turn)
  }

  fileprivate mutating func surroundingsChanged(_ turn: inout Turn) {
    if isAwake { tellChanges(&turn) }
  }

  fileprivate mutating func settingsChanged(_ turn: inout Turn) {
    hasNewSettings = true
    if isAwake { tellChanges(&turn) }
  }

  /// A program that is awake gets the time as well: it may be about to sleep.
  fileprivate mutating func accessoriesChanged(_ news: AccessoryNews, _ turn: inout Turn) -> Bool {
    guard isStaying, isInBackground, news.concerns(registration.settings) else { return false }
    wake(.accessory, line: nil, for: turn.policy.wakeRunTime, &turn)
    linger(&turn)
    return true
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

  /// The user sees something else than the program.
  func isCovered(_ turn: Turn) -> Bool {
    registration.speaks && (turn.surroundings.isLocked || turn.surroundings.isAboutToSleep || isBehindCall)
  }

  /// Where the program belongs: behind the lock nobody sees a program in the foreground, so it may sleep,
  /// unless it can be heard or is in a call. One that ends in place of a sleep stays where it is.
  func place(_ turn: Turn) -> LaunchTarget {
    guard target == .foreground, registration.speaks, turn.surroundings.isLocked,
      !registration.settings.exitsOnSuspend, soundLeases().isEmpty
    else { return target }
    return .background
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
  fileprivate mutating func callsChanged(othersCall: Bool, begins: Bool) -> Bool {
    let wasBehind = isBehindCall
    isBehindCall = othersCall && (isBehindCall || begins && registration.speaks && target == .foreground)
    return isBehindCall != wasBehind
  }
}
