import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct AccessoryNewsTests {
  private let cable = Accessory(.tty, vendor: 0x0403, product: 0x6001)

  /// A program of the mode that sleeps.
  private func sleeper(_ accessories: [Accessory] = []) -> Script {
    var script = Script()
    script.launched("logger", .externalAccessory) { $0.settings.accessories = accessories }
    script.sendToBackground("logger")
    script.frozen("logger")
    return script
  }

  @Test func `a program is told of a device and woken, once it has been quiet for a second`() {
    var script = sleeper()
    #expect(script.feed(.accessory(cable)) == [])
    #expect(
      script.pass(to: 5)
        == ["thaw logger", "logger: changed, accessory", "logger: woke, accessory"].map { "1 s: \($0)" })
    #expect(script.pass(to: 11) == ["11 s: freeze logger"])
  }

  @Test func `a device that flaps makes one wake in ten seconds`() {
    var script = sleeper()
    var wakes: [String] = []
    for half in 0...24 {
      wakes += script.pass(to: Double(half) / 2).filter { $0.hasSuffix("woke, accessory") }
      script.feed(.accessory(cable))
    }
    #expect(wakes == ["10 s: logger: woke, accessory"])
  }

  @Test(
    arguments: [
      ([], true), ([Accessory(.tty)], true), ([Accessory(.usb)], false),
      ([Accessory(.usb), Accessory(.tty, vendor: 0x0403)], true), ([Accessory(.tty, vendor: 1)], false),
    ] as [([Accessory], Bool)])
  func `only what the program wants wakes it`(case: (accessories: [Accessory], wakes: Bool)) {
    var script = sleeper(`case`.accessories)
    script.feed(.accessory(cable))
    #expect(script.pass(to: 2).contains("1 s: logger: woke, accessory") == `case`.wakes)
    // What the kernel told and nobody heard may be anything.
    script = sleeper(`case`.accessories)
    script.feed(.accessory(nil))
    #expect(script.pass(to: 2).contains("1 s: logger: woke, accessory"))
  }

  @Test func `other programs sleep on and are told at their next wake`() {
    var script = Script()
    script.asleep("phone")
    script.feed(.accessory(cable))
    #expect(script.pass(to: 2) == [])
    #expect(script.command("phone", .wake).contains("phone: changed, accessory"))
  }

  @Test func `more devices than are kept apart wake everybody of the mode`() {
    var script = sleeper([Accessory(.sound)])
    for number in 0...64 { script.feed(.accessory(Accessory(.usb, vendor: UInt16(number)))) }
    #expect(script.pass(to: 2).contains("1 s: logger: woke, accessory"))
  }

  @Test func `a command gets its time to linger, and sleeps again`() {
    var script = Script()
    script.register("logger", .externalAccessory) { ($0.speaks, $0.launch) = (false, .background) }
    script.feed(.accessory(cable))
    #expect(script.pass(to: 1).contains("1 s: logger: woke, accessory"))
  }
}
