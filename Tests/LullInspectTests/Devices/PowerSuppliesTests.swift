import LullModel
import TestSupport
import Testing

@testable import LullInspect

@Suite(.bounded) struct PowerSuppliesTests {
  private func power(_ supplies: [String]...) -> Power {
    var found = PowerSupplies()
    for (number, lines) in supplies.enumerated() {
      found.take("S\(number)", Uevent(lines.map { Array("POWER_SUPPLY_\($0)".utf8)[...] }))
    }
    return found.power
  }

  private func message(_ fields: String...) -> Uevent {
    Uevent(message: Array((["change@/devices/x"] + fields).map { $0 + "\0" }.joined().utf8)[...])
  }

  @Test func `the source is the mains where they are on, else the battery`() {
    let battery = ["TYPE=Battery", "STATUS=Discharging", "CAPACITY=40"]
    #expect(power() == Power(.unknown))
    #expect(power(battery) == Power(.battery, percent: 40))
    #expect(power(battery, ["TYPE=Mains", "ONLINE=0"]) == Power(.battery, percent: 40))
    #expect(power(["TYPE=Mains", "ONLINE=1"], battery) == Power(.mains, percent: 40))
    #expect(power(["TYPE=USB", "ONLINE=1"]) == Power(.mains))
    #expect(power(["TYPE=Battery", "STATUS=Full", "CAPACITY=100"]) == Power(.mains, percent: 100))
    #expect(
      power(battery, ["TYPE=Battery", "STATUS=Unknown", "CAPACITY=80"]) == Power(.battery, percent: 60))
  }

  @Test func `the battery of a mouse is none of the machine's`() {
    let mouse = ["TYPE=Battery", "SCOPE=Device", "STATUS=Discharging", "CAPACITY=5"]
    #expect(power(mouse) == Power(.unknown))
  }

  @Test func `a message changes its supply, and removes it`() {
    var supplies = PowerSupplies()
    let place = "DEVPATH=/devices/ACPI/power_supply/BAT0"
    supplies.take(
      message(
        "ACTION=change", place, "SUBSYSTEM=power_supply", "POWER_SUPPLY_TYPE=Battery",
        "POWER_SUPPLY_STATUS=Discharging", "POWER_SUPPLY_CAPACITY=30"))
    #expect(supplies.power == Power(.battery, percent: 30))
    supplies.take(
      message("ACTION=change", place, "SUBSYSTEM=power_supply", "POWER_SUPPLY_CAPACITY=29"))
    #expect(supplies.power == Power(.battery, percent: 29))
    supplies.take(message("ACTION=remove", place, "SUBSYSTEM=power_supply"))
    #expect(supplies.power == Power(.unknown))
  }

  @Test func `a message of another kind, or with nonsense in it, changes nothing`() {
    var supplies = PowerSupplies()
    supplies.take(message("ACTION=add", "DEVPATH=/devices/usb", "SUBSYSTEM=usb"))
    supplies.take(message("SUBSYSTEM=power_supply"))
    supplies.take(message("SUBSYSTEM=power_supply", "DEVPATH=", "POWER_SUPPLY_TYPE=Battery"))
    supplies.take(Uevent(message: [0xff, 0, 0, 0xc3]))
    supplies.take(Uevent(message: []))
    #expect(supplies == PowerSupplies())
    supplies.take(
      message(
        "SUBSYSTEM=power_supply", "DEVPATH=/B", "POWER_SUPPLY_TYPE=Battery", "POWER_SUPPLY_CAPACITY=-999"))
    #expect(supplies.power == Power(.battery, percent: 0))
    for number in 0..<1000 {
      supplies.take(
        message("SUBSYSTEM=power_supply", "DEVPATH=/S\(number)", "POWER_SUPPLY_TYPE=USB"))
    }
    #expect(supplies.power == Power(.battery, percent: 0))
  }
}
