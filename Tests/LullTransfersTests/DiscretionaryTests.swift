import Glibc
import LullSystem
import TestSupport
import Testing

@testable import LullTransfers

/// What is fetched on mains power and over an unmetered network only.
@Suite(.bounded, .serialized) struct DiscretionaryTests {
  private func supply(_ site: Site, isOnline: Bool) throws {
    let folder = "\(site.folder.path)/machine/sys/class/power_supply"
    for (name, text) in [
      ("AC", "POWER_SUPPLY_TYPE=Mains\nPOWER_SUPPLY_ONLINE=\(isOnline ? 1 : 0)\n"),
      ("BAT0", "POWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_STATUS=Discharging\n"),
    ] {
      try Files.makeDirectories("\(folder)/\(name)")
      try Files.replace("\(folder)/\(name)/uevent", with: Array(text.utf8))
    }
  }

  @Test func `on a battery only what is not discretionary is fetched`() throws {
    let site = try Site()
    try site.page("page", bytes: 10)
    try supply(site, isOnline: false)
    try site.fetch()
    let waiting = try site.add(site.url("page"), to: "\(site.folder.path)/a", isDiscretionary: true)
    let other = try site.add(site.url("page"), to: "\(site.folder.path)/b")
    try site.wait(for: other) { $0.state == .finished }
    try site.wait(for: waiting) { $0.state == .open(why: "waits for mains power") }
    try site.breakDown()
    try supply(site, isOnline: true)
    try site.fetch()
    try site.wait(for: waiting) { $0.state == .finished }
  }

  @Test func `a network that becomes metered stops what is discretionary, and back`() throws {
    let bus = try MockedSystemBus("networkmanager")
    try bus.addMetered()
    let site = try Site(environment: ["DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)"])
    let page = try site.page("page", bytes: 9_000_000)
    try site.fetch()
    let transfer = try site.add(site.url("slow/page"), isDiscretionary: true)
    try site.wait(for: transfer) { $0.receivedBytes > 0 }
    try bus.setMetered(1)
    try site.wait(for: transfer) { $0.state == .open(why: "waits for an unmetered network") }
    try bus.setMetered(2)
    try site.wait(for: transfer) { $0.state == .finished }
    #expect(try site.isSame(page, transfer.destination))
  }
}
