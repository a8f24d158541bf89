import LullChannel
import LullEngine
import LullSystem
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct ProbeAnswersTests {
  private let reactor: DaemonReactor
  private let app = AppID(slot: 3, generation: 1)

  init() throws { reactor = try DaemonReactor() }

  private func answers(_ change: (inout Policy) -> Void = { _ in }) -> ProbeAnswers {
    var policy = Policy()
    change(&policy)
    return ProbeAnswers(reactor, policy, journal: Journal())
  }

  /// A connection that was accepted for the program, at its other end.
  private func probe(_ answers: ProbeAnswers, _ rule: String) throws -> DescriptorBox {
    let pair = try tcpPair()
    #expect(answers.add(pair.server, on: LineID(1), of: app, by: [try #require(ProbeRule(rule))]))
    return pair.client
  }

  /// Waits for an event of a probe, and judges it.
  private func next(_ answers: ProbeAnswers) throws -> ProbeAnswers.Outcome? {
    try reactor.wait(timeoutMilliseconds: patience)
    let numbers = reactor.events.compactMap { place -> UInt64? in
      guard case .probe(let number)? = reactor[place]?.source else { return nil }
      return number
    }
    return try answers.ready(#require(numbers.first))
  }

  private func said(to client: DescriptorBox) throws -> String {
    var buffer = ReceiveBuffer(capacity: 1024)
    var text = ""
    while true {
      _ = try ready(client.raw, .readable)
      guard case .bytes = try Socket.read(client.raw, into: &buffer) else { return text }
      text += String(decoding: buffer.received, as: UTF8.self)
    }
  }

  @Test func `a request in two parts is answered when it is whole`() throws {
    let answers = answers()
    let client = try probe(answers, "80/live")
    _ = try Socket.write(client.raw, Array("GET /live HT".utf8))
    #expect(try next(answers) == nil)
    _ = try Socket.write(client.raw, Array("TP/1.1\r\n\r\n".utf8))
    let outcome = try #require(try next(answers))
    #expect(outcome.isAnswered && outcome.line == LineID(1) && outcome.app == app)
    #expect(try said(to: client).hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(reactor.count == 0 && answers.deadline == nil)
  }

  @Test func `the end of the peer's side ends a question without a word`() throws {
    let answers = answers()
    let client = try probe(answers, "80")
    client.close()
    #expect(try next(answers)?.isAnswered == true)
    #expect(reactor.count == 0)
  }

  @Test func `what is left when its time is over is closed`() throws {
    let answers = answers { $0.probeTime = .zero }
    let silent = try probe(answers, "80")
    let half = try probe(answers, "80/live")
    _ = try Socket.write(half.raw, Array("GET /live HTTP".utf8))
    #expect(try next(answers) == nil)
    #expect(answers.timeIsUp().map(\.isAnswered) == [true, false])
    #expect(try said(to: silent) == "")
    #expect(try said(to: half).hasPrefix("HTTP/1.1 503 "))
    #expect(answers.timeIsUp().isEmpty)
  }

  @Test func `so many at a time, and none of a program that is forgotten`() throws {
    let answers = answers { $0.maximumProbes = 2 }
    let clients = try ["80", "80"].map { try probe(answers, $0) }
    #expect(answers.room == 0)
    answers.forget(AppID(slot: 4, generation: 1))
    #expect(answers.room == 0)
    answers.forget(app)
    #expect(answers.room == 2 && reactor.count == 0)
    for client in clients { #expect(try said(to: client) == "") }
  }
}
