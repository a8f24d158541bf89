import LullChannel
import LullEngine
import LullInspect
import LullSystem
import LullWire

/// The time zone, the power, accessories, the files of settings, and the lock of the session. Nothing is
/// polled, and a source that is not to be had is left out.
final class SurroundingsFeature: Feature {
  let core: Core
  private var files: WatchedFiles
  private var devices: WatchedDevices
  private var hasBegun = false

  init(_ core: Core) {
    self.core = core
    // The folder in the place of `/`; a test brings its own.
    let root = Identity.environment("LULL_SYSTEM_ROOT") ?? ""
    files = WatchedFiles(root: root)
    devices = WatchedDevices(root: root)
  }

  /// Called before a program registers that may be told something. A command is told nothing, but accessories
  /// wake it, and its fetches go by the power.
  func lookAround() {
    guard !hasBegun else { return }
    hasBegun = true
    journal.ignoring([], try watchFiles())
    journal.ignoring(.unsupported, try watchDevices())
    _ = files.changes()
    zoneChanged(to: files.zone)
    feed(.surrounding(.power(devices.supplies.power)))
  }

  private func watchFiles() throws(SystemError) {
    guard let raw = try files.open() else { return }
    _ = try reactor.add(raw, .readable, as: .settings)
  }

  private func watchDevices() throws(SystemError) {
    _ = try reactor.add(try devices.open(), .readable, as: .devices)
  }

  func filesChanged() {
    guard journal.ignoring([], try files.drain()) != nil else { return }
    let (zone, settings) = files.changes()
    if let zone { zoneChanged(to: zone) }
    for name in settings {
      if let id = engine.find(name: name) { feed(.surrounding(.settings(id))) }
    }
  }

  func devicesChanged() {
    let before = devices.supplies.power
    let news = journal.ignoring([], try devices.receive(&core.receiveBuffer))
    let now = devices.supplies.power
    if now != before { feed(.surrounding(.power(now))) }
    for accessory in news?.accessories ?? [] { feed(.accessory(accessory)) }
    if news?.isIncomplete == true { feed(.accessory(nil)) }
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
