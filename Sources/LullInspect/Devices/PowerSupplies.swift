package import LullModel

/// The machine's power supplies, as the kernel describes them: `POWER_SUPPLY_TYPE=Battery` and so on, in the
/// file `uevent` of each, and in the message of each change.
package struct PowerSupplies: Equatable {
  private static let most = 64

  private struct Supply: Equatable {
    let name: String
    var type = ""
    /// `Device` for the battery of a mouse.
    var scope = ""
    var isOnline = false
    var status = ""
    var percent: Int?

    mutating func take(_ key: String, _ value: String) {
      switch key {
      case "POWER_SUPPLY_TYPE": type = value
      case "POWER_SUPPLY_SCOPE": scope = value
      case "POWER_SUPPLY_ONLINE": isOnline = value != "0"
      case "POWER_SUPPLY_STATUS": status = value
      case "POWER_SUPPLY_CAPACITY": percent = Int(value).map { min(max($0, 0), 100) }
      default: break
      }
    }
  }

  private var supplies: [Supply] = []

  package init() {}

  package var power: Power {
    let own = supplies.filter { $0.scope != "Device" }
    let batteries = own.filter { $0.type == "Battery" || $0.type == "UPS" }
    let others = own.filter { $0.type != "Battery" && $0.type != "UPS" }
    let levels = batteries.compactMap(\.percent)
    let percent = levels.isEmpty ? nil : levels.reduce(0, +) / levels.count
    if others.contains(where: \.isOnline) { return Power(.mains, percent: percent) }
    if batteries.contains(where: { $0.status == "Discharging" }) { return Power(.battery, percent: percent) }
    guard !batteries.isEmpty else { return Power(others.isEmpty ? .unknown : .mains, percent: nil) }
    // A battery that is charged or full, on a machine that does not tell of its mains.
    let isCharged = batteries.contains { ["Charging", "Full", "Not charging"].contains($0.status) }
    return Power(others.isEmpty && isCharged ? .mains : .battery, percent: percent)
  }

  mutating func take(_ name: String, _ event: Uevent) {
    if !supplies.contains(where: { $0.name == name }) {
      guard supplies.count < Self.most else { return }
      supplies.append(Supply(name: name))
    }
    guard let index = supplies.firstIndex(where: { $0.name == name }) else { return }
    for (key, value) in event.fields { supplies[index].take(key, value) }
  }

  /// A message about something else changes nothing.
  mutating func take(_ event: Uevent) {
    guard event["SUBSYSTEM"] == "power_supply", let name = event.name else { return }
    guard !event.isRemoval else { return supplies.removeAll { $0.name == name } }
    take(name, event)
  }
}
