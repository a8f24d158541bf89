import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The time zone, the power, the files of settings, and the lock of the session. Nothing is polled, and a
/// source that is not to be had is left out.
final class SurroundingsFeature: Feature {
  let core: Core
  private var files: WatchedFiles
  private var power: WatchedPower
  private var hasBegun = false

  init(_ core: Core) {
    self.core = core
    // The folder in the place of `/`; a test brings its own.
    let root = Identity.environment("LULL_SYSTEM_ROOT") ?? ""
    files = WatchedFiles(root: root)
    power = WatchedPower(root: root)
  }

  /// Called before the first program on the library registers: commands are told nothing.
  func lookAround() {
    guard !hasBegun else { return }
    hasBegun = true
    journal.ignoring([], try watchFiles())
    journal.ignoring(.unsupported, try watchPower())
    _ = files.changes()
    zoneChanged(to: files.zone)
    feed(.surrounding(.power(power.supplies.power)))
  }

  private func watchFiles() throws(SystemError) {
    guard let raw = try files.open() else { return }
    _ = try reactor.add(raw, .readable, as: .surroundings(.files))
  }

  private func watchPower() throws(SystemError) {
    _ = try reactor.add(try power.open(), .readable, as: .surroundings(.power))
  }

  func ready(_ source: SurroundingSource) {
    switch source {
    case .files:
      guard journal.ignoring([], try files.drain()) != nil else { return }
      let (zone, settings) = files.changes()
      if let zone { zoneChanged(to: zone) }
      for name in settings {
        if let id = engine.find(name: name) { feed(.surrounding(.settings(id))) }
      }
    case .power:
      let before = power.supplies.power
      journal.ignoring([], try power.receive(&core.receiveBuffer))
      let now = power.supplies.power
      if now != before { feed(.surrounding(.power(now))) }
    }
  }

  /// Repeats that go by the machine's own time zone stay at the same time of day there.
  private func zoneChanged(to name: String) {
    if let zone = try? ZoneRules.read(nil) { _ = ask(.localZone(zone)) }
    feed(.surrounding(.zone(name)))
  }

  func lock(_ isOn: Bool) -> Reply {
    journal.note(program: nil, what: isOn ? "locked" : "unlocked")
    feed(.surrounding(.lock(isOn)))
    return .ok
  }
}
