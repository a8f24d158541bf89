import LullSystem
import LullWire
import TestSupport
import Testing

/// The machine around the programs: what logind tells, and what keeps the machine up.
@Suite(.bounded) struct MachineTests {
  /// A daemon on a bus on which logind is played.
  private struct Stage {
    let bus: MockedSystemBus
    let lull: Lull
    let journal: Journal

    init() throws {
      try Executables.require("dbus-daemon", package: "dbus-daemon")
      bus = try MockedSystemBus("logind")
      try bus.addSession()
      lull = try Lull(environment: ["DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)"])
      journal = try lull.journal()
    }

    func wait(for state: String) throws {
      try eventually("it does not become \(state)") { try lull.state(of: "puppet") == state }
    }

    /// An active program; lull-notify listens.
    func activePuppet() throws -> Puppet {
      let puppet = try Puppet.registered(lull, launch: "foreground")
      // Its answer follows what it shows at once.
      _ = try puppet.wait("its activity") { $0[.message] == "didBecomeActive" }
      try wait(for: "active")
      try bus.wait(forInhibitors: "delay")
      return puppet
    }
  }

  @Test func `a lock of the session puts a program to sleep, and its unlock makes it active again`() throws {
    let stage = try Stage()
    let puppet = try stage.activePuppet()
    try stage.bus.callSession("Lock")
    _ = try puppet.wait("the closing") { $0[.message] == "protectedDataWillBecomeUnavailable" }
    try stage.wait(for: "suspended")
    try stage.bus.callSession("Unlock")
    _ = try puppet.wait("the opening") { $0[.message] == "protectedDataDidBecomeAvailable" }
    try stage.wait(for: "active")
  }

  @Test func `the machine's sleep waits until a program has answered that it resigns`() throws {
    let stage = try Stage()
    let puppet = try stage.activePuppet()
    try puppet.order("manual")
    try puppet.ask("hello")
    try stage.bus.prepareForSleep(true)
    let resigns = try puppet.wait("its resigning") { $0[.message] == "willResignActive" }
    #expect(try stage.bus.inhibitors() == ["delay"])
    #expect(try stage.lull.state(of: "puppet") == "active")
    try puppet.order("auto")
    try puppet.last("did ticket=\(resigns.unsigned(.ticket))")
    try stage.bus.waitForNoInhibitors()
    try stage.wait(for: "inactive")
    try stage.bus.prepareForSleep(false)
    try stage.wait(for: "active")
    try stage.bus.wait(forInhibitors: "delay")
  }

  @Test func `a wake keeps the machine up until it is handled, though lull-notify is killed`() throws {
    let stage = try Stage()
    let (puppet, peer) = try Puppet.manual(stage.lull, stage.journal)
    try stage.bus.wait(forInhibitors: "delay")
    try peer.send("x\n")
    let ticket = try puppet.notice(.wake).unsigned(.ticket)
    try stage.bus.wait(forInhibitors: "block", "delay")
    let first = try #require(stage.lull.children("lull-notify").first)
    try Process.kill(first, Signal.kill)
    try eventually("no other lull-notify") {
      try stage.lull.children("lull-notify").contains { $0 != first }
    }
    try stage.bus.wait(forInhibitors: "block", "delay")
    try puppet.last("done ticket=\(ticket)")
    try stage.bus.wait(forInhibitors: "delay")
  }

  @Test func `a machine that goes on while lull-notify is away leaves no program inactive`() throws {
    let stage = try Stage()
    let puppet = try stage.activePuppet()
    try stage.bus.prepareForSleep(true)
    try stage.wait(for: "inactive")
    try Process.kill(try #require(stage.lull.children("lull-notify").first), Signal.kill)
    try stage.bus.prepareForSleep(false)
    try stage.wait(for: "active")
    #expect(try puppet.child.isAlive)
  }

  @Test func `without a bus no lull-notify is started for a program`() throws {
    let lull = try Lull()
    let puppet = try Puppet.registered(lull)
    // The end of the turn in which it was registered has come.
    try lull.order("hello")
    #expect(try lull.children("lull-notify").isEmpty)
    #expect(try puppet.child.isAlive)
  }
}
