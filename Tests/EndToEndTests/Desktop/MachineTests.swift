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

    /// A program that sleeps until its connection brings something, and that answers nothing by itself.
    func sleepingPuppet() throws -> (Puppet, peer: Channel) {
      let puppet = try Puppet(lull, name: "puppet")
      try puppet.connect()
      try puppet.ask("register name=puppet modes=voip resume=background")
      let (descriptor, peer) = try puppet.dial(Server())
      try puppet.hold(descriptor)
      try puppet.done()
      try journal.waitForSleep(of: "puppet")
      return (puppet, peer)
    }
  }

  /// The processes of lull-notify.
  private static func notifiers(of lull: Lull) throws -> [Int32] {
    let pid = try lull.pid
    let children = try Kernel.text("/proc/\(pid)/task/\(pid)/children").split(separator: " ")
    return children.compactMap { Int32($0) }.filter {
      (try? Kernel.text("/proc/\($0)/comm")) == "lull-notify\n"
    }
  }

  @Test func `a lock of the session makes a program inactive, and its unlock active again`() throws {
    let stage = try Stage()
    let puppet = try stage.activePuppet()
    try stage.bus.callSession("Lock")
    _ = try puppet.wait("the closing") { $0[.message] == "protectedDataWillBecomeUnavailable" }
    try stage.wait(for: "inactive")
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
    let (puppet, peer) = try stage.sleepingPuppet()
    try stage.bus.wait(forInhibitors: "delay")
    try peer.send("x\n")
    let ticket = try puppet.notice(.wake).unsigned(.ticket)
    try stage.bus.wait(forInhibitors: "block", "delay")
    let first = try #require(Self.notifiers(of: stage.lull).first)
    try Process.kill(first, Signal.kill)
    try eventually("no other lull-notify") {
      try Self.notifiers(of: stage.lull).contains { $0 != first }
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
    try Process.kill(try #require(Self.notifiers(of: stage.lull).first), Signal.kill)
    try stage.bus.prepareForSleep(false)
    try stage.wait(for: "active")
    #expect(try puppet.child.isAlive)
  }

  @Test func `without a bus no lull-notify is started for a program`() throws {
    let lull = try Lull()
    let puppet = try Puppet.registered(lull)
    // The end of the turn in which it was registered has come.
    try lull.order("hello")
    #expect(try Self.notifiers(of: lull).isEmpty)
    #expect(try puppet.child.isAlive)
  }
}
