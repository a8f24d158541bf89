import LullSystem
import LullWire
import TestSupport
import Testing

/// The softphone that people have, called by sipp.
@Suite(.bounded) struct SoftphoneTests {
  private let stage: Stage

  init() throws { stage = try Stage() }

  @Test(arguments: Sipp.Transport.allCases)
  func `a sleeping baresip answers a call and sleeps again`(transport: Sipp.Transport) throws {
    let baresip = try Baresip.sleeping(stage)
    for _ in 1...3 {
      let call = try Sipp(stage, baresip, transport: transport)
      let woke = try stage.journal.wait("woke", of: baresip.name)
      #expect(woke[.cause] == (transport == .udp ? "data" : "accept"))
      #expect(woke[.detail]?.contains(baresip.address) == true)
      try call.waitForAnswer()
      #expect(try call.retransmissions() == 0)
      // Over TCP the softphone may have slept between the connection and the first bytes on it.
      try stage.journal.waitUntilAsleep(baresip.name, stage.lull)
    }
    #expect(try stage.lull.cgroup(of: baresip.name).state().frozen)
  }

  @Test func `status, lines, why and log tell what woke it`() throws {
    let baresip = try Baresip.sleeping(stage)
    let caller = try stage.network.connect(to: baresip.port)
    let accept = try stage.journal.wait("woke", of: "baresip", cause: "accept")
    try stage.journal.waitForSleep(of: "baresip")
    let own = try Socket.localAddress(caller.box.raw).description
    let line = try stage.line(of: "baresip", local: baresip.address, peer: own)
    #expect(accept[.line] != line)
    try caller.send(Self.options(to: baresip, from: own))
    #expect(try caller.line() == "SIP/2.0 200 OK\r")
    #expect(try stage.journal.wait("woke", of: "baresip", cause: "data")[.line] == line)
    try stage.journal.waitForSleep(of: "baresip")
    let why = try stage.why("baresip")
    #expect(why.hasPrefix("baresip is asleep\n"), "\(why)")
    #expect(why.contains(" by data on line \(line) (tcp \(baresip.address)) from \(own)"), "\(why)")
    caller.close()
    try stage.journal.wait("woke", of: "baresip", cause: "closed")
    try stage.journal.waitForSleep(of: "baresip")
    let log = try stage.lull.run("log").output
    for words in ["woke (accept)", "woke (data)", "woke (closed)"] {
      #expect(log.contains("baresip  \(words)"), "\(log)")
    }
    let lines = try stage.lull.run("lines", "baresip").output
    #expect(lines.contains("tcp-listen  \(baresip.address)") && !lines.contains(own), "\(lines)")
    #expect(try stage.lull.run("status").output.contains("suspended"))
  }

  private static func options(to baresip: Baresip, from own: String) -> String {
    let lines = [
      "OPTIONS sip:alice@\(baresip.address) SIP/2.0", "Via: SIP/2.0/TCP \(own);branch=z9hG4bK-1",
      "From: <sip:test@127.0.0.1>;tag=1", "To: <sip:alice@127.0.0.1>", "Call-ID: 1", "CSeq: 1 OPTIONS",
      "Max-Forwards: 70", "Content-Length: 0", "", "",
    ]
    return lines.joined(separator: "\r\n")
  }

  @Test func `it stays awake while a call with sound goes on, and sleeps after it`() throws {
    let baresip = try Baresip.sleeping(stage)
    let call = try Sipp(stage, baresip, transport: .udp, milliseconds: 4000, sound: true)
    try stage.journal.wait("woke", of: baresip.name)
    try call.waitForAnswer()
    let during = try stage.journal.entriesUpToNow()
    #expect(!during.contains { $0["what"] == "frozen" }, "\(during)")
    try stage.journal.waitForSleep(of: baresip.name)
  }

  @Test func `it has 60 s to register again when the registrar closes its connection`() throws {
    let registrar = try Registrar(stage.network)
    let baresip = try Baresip(stage, account: registrar.account)
    try registrar.register()
    try stage.journal.waitForSleep(of: baresip.name)
    registrar.hangUp()
    try stage.journal.wait("woke", of: baresip.name, cause: "closed")
    let ends = try stage.lull.item(.lease, of: baresip.name).number(.endsInSeconds)
    #expect(ends > 50 && ends <= 60)
  }

  @Test(arguments: [false, true])
  func `quit asleep it takes its registration back, in a shell too`(isWrapped: Bool) throws {
    let registrar = try Registrar(stage.network)
    let baresip = try Baresip(stage, account: registrar.account, isWrapped: isWrapped)
    try registrar.register()
    try stage.journal.waitForSleep(of: baresip.name)
    let quit = try stage.lull.start(["quit", baresip.name])
    try registrar.unregister()
    let end = isWrapped ? "SIGTERM" : "status 0"
    #expect(try quit.output.untilEnd() == "baresip ended (\(end))\n")
    #expect(try quit.end() == .exited(0))
    let log = try baresip.log()
    #expect(log.contains("terminated by signal 15"), "\(log)")
  }

  @Test func `SIGTERM ends it while it sleeps, and its port is free`() throws {
    let baresip = try Baresip.sleeping(stage)
    try baresip.run.signal(Signal.terminate)
    #expect(try baresip.run.end() == .exited(0))
    let port = try stage.network.inside { try Server(port: baresip.port).port }
    #expect(port == baresip.port)
  }

  @Test(.tags(.faults))
  func `killed asleep it is gone for its peer at once, and the next one has its port`() throws {
    let first = try Baresip.sleeping(stage)
    let peer = try stage.network.connect(to: first.port)
    try stage.journal.wait("woke", of: first.name, cause: "accept")
    try stage.journal.waitForSleep(of: first.name)
    for pid in try stage.pids(of: first.name) { try Process.kill(pid, Signal.kill) }
    #expect(try peer.untilEnd() == "")
    #expect(try first.run.end() == .signaled(9))
    let second = try Baresip.sleeping(stage, port: first.port)
    let call = try Sipp(stage, second, transport: .tcp)
    try call.waitForAnswer()
    try Sipp(stage, second, transport: .udp).waitForAnswer()
  }

  @Test func `of two only the one that is called wakes`() throws {
    let one = try Baresip.sleeping(stage, name: "one")
    let two = try Baresip.sleeping(stage, name: "two")
    for _ in 1...2 {
      let wakes = try stage.lull.field(.wakes, of: one.name)
      try Sipp(stage, two, transport: .udp).waitForAnswer()
      try stage.journal.waitForSleep(of: two.name)
      #expect(try stage.lull.field(.wakes, of: one.name) == wakes)
      #expect(try stage.lull.state(of: one.name) == "suspended")
    }
    try Sipp(stage, one, transport: .tcp).waitForAnswer()
    try stage.journal.waitForSleep(of: one.name)
  }
}
