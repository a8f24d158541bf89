import LullWire
import TestSupport
import Testing

/// The machine has slept, as logind tells.
@Suite(.bounded) struct ResumeTests {
  @Test func `a sleeping program is woken once, to connect again`() throws {
    try Executables.require("dbus-daemon", package: "dbus-daemon")
    let bus = try MockedSystemBus("logind")
    try bus.addSession()
    let lull = try Lull(environment: ["DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)"])
    let journal = try lull.journal()
    let puppet = try Puppet(lull, name: "puppet")
    try puppet.connect()
    try puppet.ask("register name=puppet modes=voip resume=background")
    try puppet.done()
    try journal.waitForSleep(of: "puppet")
    try bus.wait(forInhibitors: "delay")
    for _ in 1...2 {
      try bus.prepareForSleep(true)
      try bus.waitForNoInhibitors()
      try bus.prepareForSleep(false)
      let notice = try puppet.wait("a wake") { [.changed, .wake].contains($0.notice) }
      #expect(notice[.reason] == "resumed")
      try puppet.last("done ticket=\(notice.unsigned(.ticket))")
      try journal.waitForSleep(of: "puppet")
      try bus.wait(forInhibitors: "delay")
    }
  }
}
