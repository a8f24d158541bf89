import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The time zone, the power, the files of settings, and the lock of the session.
final class SurroundingsFeature: Feature {
  let core: Core
  private let around: SurroundingSources

  init(_ core: Core) {
    self.core = core
    around = SurroundingSources(core.services)
  }

  /// Before the first program on the library registers: commands are told nothing.
  func lookAround() {
    for change in around.begin() { carryOut(change) }
  }

  func ready(_ source: SurroundingSource) {
    for change in around.ready(source, &core.receiveBuffer) { carryOut(change) }
  }

  private func carryOut(_ change: SurroundingOutcome) {
    switch change {
    case .changed(let change):
      if case .zone = change { localZoneChanged() }
      feed(.surrounding(change))
    case .settings(let name):
      if let id = engine.find(name: name) { feed(.surrounding(.settings(id))) }
    }
  }

  func lock(_ isOn: Bool) -> Reply {
    journal.note(program: nil, what: isOn ? "locked" : "unlocked")
    feed(.surrounding(.lock(isOn)))
    return .ok
  }

  /// Repeats that go by the machine's own time zone stay at the same time of day there.
  private func localZoneChanged() { if let zone = try? ZoneRules.read(nil) { _ = ask(.localZone(zone)) } }
}
