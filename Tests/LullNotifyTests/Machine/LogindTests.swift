import LullWire
import TestSupport
import Testing

/// logind and BlueZ as python-dbusmock plays them.
@Suite(.bounded) struct LogindTests {
  private func logind() throws -> MachineStage {
    let stage = try MachineStage("logind")
    try stage.told("watching")
    return stage
  }

  @Test func `a lock of the user's session is told once, by the signal or by the hint`() throws {
    let stage = try logind()
    try stage.bus.addSession()
    try stage.bus.announceSession()
    // The new session is known when its list has been read.
    try stage.bus.callSession("SetLockedHint", "b", "true")
    try stage.told("locked(LullWire.Vocabulary.Choice.yes")
    try stage.bus.callSession("Unlock")
    try stage.told("locked(LullWire.Vocabulary.Choice.no")
    try stage.bus.callSession("Lock")
    try stage.told("locked(LullWire.Vocabulary.Choice.yes")
  }

  @Test func `the machine's sleep waits for the programs`() throws {
    let stage = try logind()
    try stage.bus.wait(forInhibitors: "delay")
    try stage.bus.prepareForSleep(true)
    try stage.told("sleeping")
    try stage.bus.wait(forInhibitors: "delay")
    stage.tell(.letGo)
    try stage.bus.waitForNoInhibitors()
    try stage.bus.prepareForSleep(false)
    try stage.told("resumed")
    try stage.bus.wait(forInhibitors: "delay")
  }

  @Test func `a wake keeps the machine up until it is handled, also by a logind that is new`() throws {
    let stage = try logind()
    try stage.bus.wait(forInhibitors: "delay")
    stage.tell(.hold(why: "a call"))
    try stage.bus.wait(forInhibitors: "block", "delay")
    try stage.bus.playAnew("logind")
    try stage.bus.wait(forInhibitors: "block", "delay")
    stage.tell(.letGo)
    try stage.bus.wait(forInhibitors: "delay")
  }

  @Test func `an accessory of BlueZ that connects is told`() throws {
    let stage = try MachineStage("bluez5")
    try stage.bus.call("org.bluez", "/", "org.bluez.Mock", "AddAdapter", "ss", "hci0", "computer")
    try stage.bus.call(
      "org.bluez", "/", "org.bluez.Mock", "AddDevice", "sss", "hci0", "11:22:33:44:55:66", "headset")
    try stage.bus.waitForListener("org.bluez.Device1")
    try stage.bus.call(
      "org.bluez", "/", "org.bluez.Mock", "ConnectDevice", "ss", "hci0", "11:22:33:44:55:66")
    try stage.told("accessory")
  }
}
