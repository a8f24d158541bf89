import LullSystem
import LullWire
import TestSupport
import Testing

/// The network changes under sleeping programs.
@Suite(.bounded, .enabled(if: Network.isPermitted, "the machine permits no network namespace"))
struct NetworkTests {
  @Test func `a phone whose address changes is reachable again`() throws {
    let wire = try Wire()
    let (phone, _) = try wire.startPhone()
    try wire.stage.journal.waitForSleep(of: "phone")
    try wire.near.ip("addr del 10.9.0.1/24 dev wire")
    try wire.near.ip("addr add 10.9.0.5/24 dev wire")
    try wire.stage.journal.wait("woke", of: "phone", cause: "network")
    let server = try wire.answerPing()
    try wire.stage.journal.waitForSleep(of: "phone")
    try server.send("notify\n")
    _ = try phone.output.line { $0 == "Notification: New VOIP call (Answer)" }
    #expect(try wire.stage.lull.item(.wake, of: "phone")[.reason] == "data")
  }

  @Test func `an adopted program is woken by a change in its own namespace`() throws {
    let (lull, own) = (try Lull(), try Network())
    let journal = try lull.journal()
    try own.ip("link add own type veth peer name other")
    for link in ["own", "other"] { try own.ip("link set \(link) up") }
    try own.ip("addr add 10.6.0.1/24 dev own")
    let words = """
      import socket
      line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      line.connect(("10.6.0.2", 9))
      print("in", flush=True)
      while True: line.recv(9)
      """
    let client = try ConnectedChild(own.prefix + Python.command(words))
    #expect(try client.output.line() == "in")
    // With the first one lulld begins to watch signals, too.
    var first: Int?
    for _ in 0..<3 {
      #expect(try lull.run("adopt", "--pid", "\(client.pid)", "--name", "client").status == .exited(0))
      try journal.waitForSleep(of: "client")
      try own.ip("addr del 10.6.0.1/24 dev own")
      try journal.wait("woke", of: "client", cause: "network")
      try own.ip("addr add 10.6.0.1/24 dev own")
      #expect(try lull.run("release", "client").status == .exited(0))
      first = try first ?? Kernel.descriptorCount(of: lull.pid)
    }
    // A worker closes what is not needed any more.
    try eventually("a descriptor is left of each") { try Kernel.descriptorCount(of: lull.pid) <= first ?? 0 }
  }

  @Test func `a phone in the foreground connects again as well`() throws {
    let wire = try Wire()
    let (phone, _) = try wire.startPhone(options: ["--foreground"])
    try wire.near.ip("addr del 10.9.0.1/24 dev wire")
    try wire.near.ip("addr add 10.9.0.5/24 dev wire")
    _ = try phone.output.line { $0 == "No answer to ping" }
    let server = try wire.answerPing()
    try server.send("ping\n")
    #expect(try server.line() == "pong")
  }

  @Test func `a connection that still answers is kept`() throws {
    let wire = try Wire()
    let (phone, server) = try wire.startPhone(to: "10.7.0.2")
    try wire.stage.journal.waitForSleep(of: "phone")
    try wire.near.ip("route replace 10.7.0.0/24 via 10.9.0.3")
    try wire.stage.journal.wait("woke", of: "phone", cause: "network")
    #expect(try server.line() == "ping")
    try server.send("pong\n")
    try wire.stage.journal.waitForSleep(of: "phone")
    try server.send("ping\n")
    #expect(try server.line() == "pong")
    #expect(try phone.isAlive)
  }

  @Test func `a change that does not concern a program leaves it asleep`() throws {
    let wire = try Wire()
    let (_, _) = try wire.startPhone("calm")
    try wire.stage.journal.waitForSleep(of: "calm")
    let (_, _) = try wire.startPhone("hit", to: "10.8.0.2")
    try wire.stage.journal.waitForSleep(of: "hit")
    try wire.near.ip("link add docker0 type veth peer name inside")
    try wire.near.ip("addr add 172.17.0.1/16 dev docker0")
    try wire.near.ip("link set docker0 up")
    try wire.near.ip("link set inside up")
    try wire.near.ip("addr add 10.9.0.77/24 dev wire")
    try wire.near.ip("addr del 10.8.0.1/24 dev wire")
    try wire.stage.journal.wait("woke", of: "hit", cause: "network")
    #expect(try networkWakes(of: "calm", wire) == 0)
  }

  @Test func `a link that flaps wakes a phone once`() throws {
    let wire = try Wire()
    let (_, _) = try wire.startPhone()
    try wire.stage.journal.waitForSleep(of: "phone")
    for _ in 1...3 {
      try wire.near.ip("link set wire down")
      try wire.near.ip("link set wire up")
    }
    try wire.near.ip("addr del 10.9.0.1/24 dev wire")
    try wire.near.ip("addr add 10.9.0.5/24 dev wire")
    _ = try wire.answerPing()
    try wire.stage.journal.waitForSleep(of: "phone")
    #expect(try networkWakes(of: "phone", wire) == 1)
  }

  @Test func `a phone without a way connects as soon as there is one`() throws {
    let wire = try Wire()
    let (phone, _) = try wire.startPhone(to: "10.7.0.2")
    try wire.stage.journal.waitForSleep(of: "phone")
    try wire.near.ip("route del 10.7.0.0/24")
    _ = try phone.output.line { $0.hasSuffix("Network is unreachable") }
    try wire.near.ip("route add 10.7.0.0/24 via 10.9.0.2")
    _ = try wire.answerPing()
    try wire.stage.journal.waitForSleep(of: "phone")
  }

  @Test(arguments: ["", #"line.connect(("10.8.0.2", 9))"#])
  func `a line that was declared before it was connected is one of its peer`(first: String) throws {
    let wire = try Wire()
    let script = """
      import lull, selectors, socket
      line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      \(first)
      program = lull.Program("client", handler=lambda event: print(event, flush=True))
      program.hold(line)
      line.connect(("10.7.0.2", 9))
      program.run(selectors.DefaultSelector())
      """
    let client = try ConnectedChild(
      wire.near.prefix + ["python3", "-B", "-c", script],
      environment: wire.stage.lull.environment + [Python.library])
    try wire.stage.journal.waitForSleep(of: "client")
    _ = try wire.stage.line(of: "client", peer: "10.7.0.2:9")
    try wire.near.ip("route del 10.7.0.0/24")
    _ = try client.output.line { $0.hasPrefix("Wake") && $0.contains("network") }
  }

  @Test func `a socket of a command that is connected anew is one of its new peer`() throws {
    let wire = try Wire()
    let script = """
      import socket
      line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      line.connect(("10.8.0.2", 9))
      while True:
        print(line.getsockname()[1], flush=True)
        line.recv(9)
        line.connect(("10.7.0.2", 9))
      """
    let client = try wire.stage.run("client", Python.command(script))
    let port = try client.output.line()
    try wire.stage.journal.waitForSleep(of: "client")
    let answer = """
      import socket
      line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      line.bind(("10.8.0.2", 9))
      line.sendto(b"x", ("10.8.0.1", \(port)))
      """
    let server = try ConnectedChild(wire.far.prefix + Python.command(answer))
    #expect(try server.end() == .exited(0))
    try wire.stage.journal.waitForSleep(of: "client")
    try wire.near.ip("route del 10.7.0.0/24")
    try wire.stage.journal.wait("woke", of: "client", cause: "network")
  }

  @Test func `a command gets the time to connect again`() throws {
    let wire = try Wire()
    try wire.stage.run("client", Python.command(Self.client))
    _ = try wire.accept()
    try wire.stage.journal.waitForSleep(of: "client")
    try wire.near.ip("addr del 10.9.0.1/24 dev wire")
    try wire.stage.journal.wait("woke", of: "client", cause: "network")
    let lease = try wire.stage.lull.item(.lease, of: "client")
    #expect(lease[.lease] == "wake")
    #expect(try Double(#require(lease[.endsInSeconds])) ?? 0 > 30)
  }

  private func networkWakes(of program: String, _ wire: Wire) throws -> Int {
    try wire.stage.lull.journal().entriesUpToNow().count {
      $0["program"] == program && $0["what"] == "woke" && $0["cause"] == "network"
    }
  }

  private static let client = """
    import socket
    line = socket.create_connection(("10.9.0.2", 10000))
    while line.recv(100):
      pass
    """
}
