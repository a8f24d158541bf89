extension Engine {
  mutating func surround(_ change: Surrounding, _ turn: inout Turn) {
    if case .settings(let id) = change { return _ = touch(id, &turn) { $0.settingsChanged(&$1) } }
    surroundings.take(change)
    tellSurroundings(&turn)
  }

  mutating func setClock(_ offset: Int64, _ turn: inout Turn) {
    centre.setOffset(offset, at: turn.now)
    if surroundings.setClock(offset) { tellSurroundings(&turn) }
  }

  /// A sleeper is told at its next wake.
  mutating func tellSurroundings(_ turn: inout Turn) {
    turn.surroundings = surroundings
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
}
