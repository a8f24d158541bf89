import LullEngine
import Testing

/// The words of the kernel about memory.
extension Script {
  @discardableResult
  mutating func pressure(_ level: MemoryPressure, at seconds: Double? = nil) -> [String] {
    if let seconds { pass(to: seconds) }
    return feed(.pressure(level))
  }

  /// The answer to the last measurement: so many bytes of each program.
  @discardableResult
  mutating func sizes(_ sizes: [String: Int64]) -> [String] {
    let found = sizes.sorted { $0.key < $1.key }.map { MemorySize(id($0.key), bytes: $0.value) }
    return feed(.sizes(measurement, found))
  }

  /// Puts programs to sleep that can come back.
  mutating func purgeable(_ names: String...) {
    for name in names { asleep(name) { $0.settings.isPurgeable = true } }
  }

  /// Installs programs, which run.
  mutating func installs(_ names: String...) { for name in names { ask(.install(name, .ended)) } }

  /// A command in the background that is never frozen, and can come back.
  mutating func busyCommand(_ name: String, _ launch: LaunchTarget = .background) {
    register(name) {
      ($0.speaks, $0.isFreezeExempt, $0.settings.isPurgeable, $0.launch) = (false, true, true, launch)
    }
  }
}
