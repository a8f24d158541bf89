import LullEngine
import LullSystem
import LullWire

extension Daemon {
  /// Begins to watch, before the first program on the library registers: commands are told nothing.
  func lookAround() {
    for change in surroundings.begin() { carryOut(change) }
  }

  func surroundingsChanged(_ source: SurroundingSource) {
    for change in surroundings.ready(source, &receiveBuffer) { carryOut(change) }
  }

  private func carryOut(_ change: SurroundingOutcome) {
    switch change {
    case .changed(let change):
      if case .zone = change { localZoneChanged() }
      feed(.surrounding(change))
    case .settings(let name):
      if let id = host.engine.find(name: name) { feed(.surrounding(.settings(id))) }
    }
  }

  func lock(_ isOn: Bool) -> Reply {
    journal.note(program: nil, what: isOn ? "locked" : "unlocked")
    feed(.surrounding(.lock(isOn)))
    return .ok
  }
}
