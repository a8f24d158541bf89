import LullSystem
import LullWire
import TestSupport
import Testing

/// The Bluetooth examples of Examples/python, and BlueZ as python-dbusmock plays it.
@Suite(.bounded) struct BluetoothTests {
  private let bus: MockedSystemBus
  private let lull: Lull
  private let journal: Journal

  init() throws {
    try Executables.require("dbus-daemon", package: "dbus-daemon")
    bus = try MockedSystemBus("bluez")
    lull = try Lull(environment: ["DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)", Python.library])
    journal = try lull.journal()
  }

  private func start(_ example: String, _ path: String) throws -> ConnectedChild {
    let script = "\(ProtocolPage.root)/Examples/python/\(example).py"
    return try ConnectedChild(["/usr/bin/python3", "-B", script, path], environment: lull.environment)
  }

  /// What comes for programs that look for devices.
  private func makeNoise() throws {
    for strength in ["-50", "-60", "-70"] { try bus.mockBlueZ("Near", "i", "--", strength) }
  }

  @Test func `a program sleeps between the notifications of a device, which wake it alone`() throws {
    let monitor = try start("heart", "/org/bluez/hci0/belt/rate")
    try journal.waitForSleep(of: "heart")
    for rate in ["61", "80", "140"] {
      try makeNoise()
      try bus.mockBlueZ("Beat", "ay", "2", "0", rate)
      _ = try monitor.output.line { $0 == "\(rate) beats in a minute" }
      try journal.wait("woke", of: "heart", cause: "bluetooth")
      try journal.waitForSleep(of: "heart")
    }
    #expect(try lull.field(.wakes, of: "heart") == "3")
    #expect(try lull.run("why", "heart").output.contains("by Bluetooth on line"))
    try bus.mockBlueZ("Leave")
    try journal.wait("woke", of: "heart", cause: "closed")
    _ = try monitor.errors.line { $0 == "the belt is gone" }
  }

  @Test func `a device for others sleeps until it is read`() throws {
    let thermometer = try start("thermometer", "/org/bluez/hci0")
    _ = try thermometer.output.line { $0 == "RegisterApplication" }
    try journal.waitUntilAsleep("thermometer", lull)
    let before = try lull.field(.wakes, of: "thermometer")
    try makeNoise()
    #expect(try bus.mockBlueZ("Read") == "ay 2 102 8\n")
    _ = try thermometer.output.line { $0 == "woken bluetooth" }
    try journal.waitForSleep(of: "thermometer")
    let wakes = try lull.field(.wakes, of: "thermometer")
    #expect(Int(wakes) == Int(before).map { $0 + 1 })
  }

  /// The same program under `lull run`: it finds no lulld by itself, and its wait for D-Bus is watched.
  @Test func `a command of a mode of Bluetooth is woken by what it waits for`() throws {
    let script = "\(ProtocolPage.root)/Examples/python/thermometer.py"
    let words = [
      "run", "--name", "command", "--mode", "bluetooth-peripheral", "--", "env",
      "LULL_RUNTIME_DIR=/nonexistent", "LULL_GUARD=/nonexistent",
      "/usr/bin/python3", "-B", script, "/org/bluez/hci0",
    ]
    let run = try lull.start(words)
    _ = try run.output.line { $0 == "RegisterApplication" }
    try journal.waitUntilAsleep("command", lull)
    #expect(try bus.mockBlueZ("Read") == "ay 2 102 8\n")
    try journal.wait("woke", of: "command", cause: "bluetooth")
    try run.signal(Signal.kill)
  }
}
