import LullSystem
import LullWire
import TestSupport
import Testing

/// What a program is told of changes around it, from the kernel's own sources.
@Suite(.bounded) struct SurroundingsTests {
  private let network: Network
  private let lull: Lull
  private let journal: Journal

  init() throws {
    network = try Network()
    let sandbox = try Sandbox()
    lull = try Lull(sandbox: sandbox, prefix: network.prefix, environment: ["TZ="])
    journal = try lull.journal()
    try shell(
      """
      mkdir -p machine/etc machine/sys/class/power_supply/BAT0 config/lull
      ln -s /usr/share/zoneinfo/Europe/Berlin machine/etc/localtime
      printf 'POWER_SUPPLY_TYPE=Battery\\nPOWER_SUPPLY_STATUS=Discharging\\nPOWER_SUPPLY_CAPACITY=80\\n' \\
        >machine/sys/class/power_supply/BAT0/uevent
      """)
  }

  private func shell(_ script: String) throws {
    let words = ["sh", "-ec", "cd \(lull.sandbox.directory)\n\(script)"]
    #expect(try ConnectedChild(network.prefix + words).end() == .exited(0))
    // Whatever the daemon was told by then, it has handled when it answers.
    try lull.order("hello")
  }

  /// The kernel's message about a charger.
  private func plugIn() throws {
    let event = "change power_supply /devices/AC POWER_SUPPLY_TYPE=Mains POWER_SUPPLY_ONLINE=1"
    try Uevent.tell(event, in: network)
    // Whatever the daemon was told by then, it has handled when it answers.
    try lull.order("hello")
  }

  @Test func `a sleeper is told at its wake of its settings, the time zone and its power, once`() throws {
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    let first = try puppet.notice(.changed)
    #expect(first["what"] == "power" && first["power"] == "battery" && first["percent"] == "80")
    try shell("mkdir config/lull/settings; echo 1 >config/lull/settings/other")
    try shell("echo 1 >config/lull/settings/puppet; echo 2 >config/lull/settings/puppet")
    try shell("ln -sfn /usr/share/zoneinfo/Asia/Tokyo machine/etc/localtime")
    var expected = "zone,settings"
    if !network.prefix.isEmpty {
      try plugIn()
      expected = "zone,power,settings"
    }
    try peer.send("x\n")
    let news = try puppet.wait("news or a wake") { [.changed, .wake].contains($0.notice) }
    #expect(news["what"] == expected)
    if !network.prefix.isEmpty { #expect(news["power"] == "mains") }
    try puppet.done()
    try journal.waitForSleep(of: "puppet")
    try peer.send("x\n")
    #expect(try puppet.wait("a wake") { [.changed, .wake].contains($0.notice) }.notice == .wake)
  }

  @Test func `what changed back in its sleep is no news`() throws {
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    _ = try puppet.notice(.changed)
    for city in ["Asia/Tokyo", "Europe/Berlin"] {
      try shell("ln -sfn /usr/share/zoneinfo/\(city) machine/etc/localtime")
    }
    try peer.send("x\n")
    #expect(try puppet.wait("a wake") { [.changed, .wake].contains($0.notice) }.notice == .wake)
  }
}
