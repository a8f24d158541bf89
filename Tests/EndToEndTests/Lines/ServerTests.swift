import LullSystem
import LullWire
import TestSupport
import Testing

/// Servers that others wrote, under `lull run --mode voip`.
@Suite(.bounded) struct ServerTests {
  @Test(arguments: Service.allCases)
  func `a server sleeps after each request, answers the next one, and ends when it is told to`(
    service: Service
  ) throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    let run = try service.start(stage, port: port)
    try stage.journal.waitForSleep(of: service.name)
    let peer = try stage.network.connect(to: port)
    try stage.journal.waitForSleep(of: service.name)
    for number in 1..<Service.pageCount {
      try Self.ask(service, number, of: peer)
      // Each sleep of a server that ticks takes a second to wait for.
      guard !service.isTicking || number % 9 == 0 else { continue }
      try stage.journal.waitForSleep(of: service.name)
    }
    let other = try stage.network.connect(to: port)
    try Self.ask(service, Service.pageCount, of: other)
    try stage.journal.waitForSleep(of: service.name)
    #expect(try stage.lull.state(of: service.name) == "suspended")
    try Self.quit(service, run: run, stage: stage)
  }

  /// Sends a request and expects its own answer.
  private static func ask(_ service: Service, _ number: Int, of peer: Channel) throws {
    try peer.send(service.request(number))
    let answer = try peer.line { $0.hasPrefix("page ") }
    try #require(answer.filter { !$0.isNewline } == "page \(number)")
  }

  private static func quit(_ service: Service, run: ConnectedChild, stage: Stage) throws {
    let pids = try stage.pids(of: service.name)
    #expect(!pids.isEmpty)
    #expect(try stage.lull.run("quit", service.name).status == .exited(0))
    try stage.journal.wait("exited", of: service.name)
    #expect(try run.end() == (service.endsByItself ? .exited(0) : .signaled(15)))
    #expect(try stage.lull.order("status").all(.program).isEmpty)
    // lull-guard reaps the processes whose parent ended before them.
    try eventually("a process is left") { pids.allSatisfy { (try? ProcessEntry(of: $0)) == nil } }
  }
}
