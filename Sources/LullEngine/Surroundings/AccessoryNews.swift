/// The accessories that have come or gone, until they are told: a device that is plugged in makes many
/// messages within a moment, and one with a bad contact makes them for long.
struct AccessoryNews: Sendable {
  /// Each stands there once.
  private(set) var devices: [Accessory] = []
  private var mayBeAny = false
  private var since = Moment.never
  private(set) var due = Moment.never

  /// Takes a device; nil is one that is not known.
  mutating func take(_ device: Accessory?, at now: Moment, _ policy: Policy) {
    since = min(since, now)
    due = min(now + policy.accessoryQuiet, since + policy.accessoryLimit)
    guard let device, devices.count < policy.maximumAccessories else { return mayBeAny = true }
    if !devices.contains(device) { devices.append(device) }
  }

  /// True when a program with these settings is to be woken.
  func concerns(_ settings: ProgramSettings) -> Bool {
    guard settings.modes.contains(.externalAccessory) else { return false }
    let chosen = settings.accessories
    return mayBeAny || chosen.isEmpty || chosen.contains { one in devices.contains(where: one.includes) }
  }
}
