import LullSystem
import LullWire
import TestSupport
import Testing

/// A serial line, and the kernel's messages about it.
@Suite(.bounded) struct SerialTests {
  private static let cable = "/devices/usb1/1-1", serial = cable + "/1-1:1.0/ttyUSB0/tty/ttyUSB0"
  private static let product = "DEVTYPE=usb_device PRODUCT=403/6001/600"

  private let network: Network
  private let lull: Lull
  private let journal: Journal

  init() throws {
    network = try Network()
    lull = try Lull(prefix: network.prefix)
    journal = try lull.journal()
  }

  /// Starts a program that reads from a terminal whatever comes.
  private func start(_ options: String..., reading line: LullSystem.PseudoTerminal.Ends) throws
    -> ConnectedChild
  {
    let script = """
      import os, sys, tty
      line = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
      tty.setraw(line)
      print("open", flush=True)
      while True: print(os.read(line, 100).decode(), flush=True)
      """
    let path = try Kernel.link("/proc/self/fd/\(line.terminal.raw)")
    let run =
      ["run", "--name", "reader", "--mode", "external-accessory"] + options
      + ["--", "python3", "-c", script, path]
    let reader = try lull.start(run)
    _ = try reader.output.line { $0 == "open" }
    try journal.waitUntilAsleep("reader", lull)
    return reader
  }

  private func wakes() throws -> Int { try #require(Int(try lull.field(.wakes, of: "reader"))) }

  @Test func `a byte on a serial line wakes the program that reads it`() throws {
    let line = try LullSystem.PseudoTerminal.open(TerminalSize(columns: 80, rows: 24))
    let reader = try start(reading: line)
    try StandardStreams.write(Array("x".utf8), to: line.master.raw)
    _ = try reader.output.line { $0 == "x" }
    try journal.wait("woke", of: "reader", cause: "accessory")
    try journal.waitForSleep(of: "reader")
    try reader.signal(Signal.kill)
  }

  @Test func `a cable that flaps makes one wake, and a device of another vendor none`() throws {
    let line = try LullSystem.PseudoTerminal.open(TerminalSize(columns: 80, rows: 24))
    let reader = try start("--accessory", "tty:0403:6001", reading: line)
    let before = try wakes()
    let tty = ["add", "remove", "add"].map { "\($0) tty \(Self.serial)" }
    try Uevent.tell(["add usb \(Self.cable) \(Self.product)"] + tty, in: network)
    try journal.wait("woke", of: "reader", cause: "accessory")
    let why = try lull.run("why", "reader").output
    #expect(why.contains("by an accessory that came or went"), "\(why)")
    try journal.waitForSleep(of: "reader")
    #expect(try wakes() == before + 1)
    try Uevent.tell("add tty /devices/platform/serial8250/tty/ttyS7", in: network)
    try journal.wait("accessory", detail: "tty")
    #expect(try wakes() == before + 1)
    #expect(try lull.run("log").output.contains("usb:0403:6001 tty:0403:6001"))
    try reader.signal(Signal.kill)
  }

  @Test(arguments: ["disk", "usb:46d", "usb:046d:c52b:1"])
  func `what is no accessory is refused in a line that says what is one`(word: String) throws {
    let refused = try lull.run("run", "--accessory", word, "--", "true")
    #expect(refused.status == .exited(64))
    let expected =
      "lull: --accessory \(word): must be tty, usb, input, sound, and behind it :VENDOR or :VENDOR:PRODUCT, "
      + "if wanted, each 4 hexadecimal digits as lsusb shows them, such as usb:046d:c52b\n"
    #expect(refused.errors == expected)
  }
}
