import LullEngine
import LullModel
import TestSupport
import Testing

@Suite(.bounded) struct ProbeTests {
  private static let prober: [UInt8] = [10, 0, 0, 2], client: [UInt8] = [10, 9, 0, 1]

  private func settings(_ rules: String...) throws -> ProgramSettings {
    var settings = ProgramSettings()
    settings.ignoredPeers = [try #require(PeerRange("10.0.0.0/16"))]
    settings.probes = try rules.map { try #require(ProbeRule($0)) }
    return settings
  }

  @Test(
    arguments: [
      ([prober], 1, .answer(1)), ([prober, prober], 2, .answer(2)), ([prober, client], 2, .wake),
      ([client], 1, .wake), ([prober, prober, prober, prober, prober], 5, .wake), ([], 0, .leave),
      // Broken off and not listed; come since the queue was counted.
      ([prober], 2, .wake), ([prober, prober], 1, .answer(1)), ([prober, client], 1, .wake),
    ] as [([[UInt8]], Int, QueueVerdict)])
  func `only what declared peers alone ask is answered, and no more than there is room for`(
    peers: [[UInt8]], length: Int, verdict: QueueVerdict
  ) throws {
    let queue = ConnectionQueue(length: length, limit: 128, peers: peers)
    #expect(try settings("8080").verdict(on: queue, port: 8080, room: 4) == verdict)
  }

  @Test func `without a rule for the port they wait, until the queue is half full`() throws {
    func verdict(_ length: Int, of limit: Int) throws -> QueueVerdict {
      let peers = Array(repeating: Self.prober, count: length)
      let queue = ConnectionQueue(length: length, limit: limit, peers: peers)
      return try settings("8080").verdict(on: queue, port: 80, room: 4)
    }
    #expect(try verdict(1, of: 5) == .leave && verdict(2, of: 5) == .leave && verdict(3, of: 5) == .wake)
    #expect(try verdict(63, of: 128) == .leave && verdict(64, of: 128) == .wake)
    #expect(try verdict(1, of: 0) == .wake && verdict(1, of: 1) == .wake)
  }

  private func verdict(_ text: String, isOver: Bool = false, _ rules: String...) throws -> ProbeVerdict {
    let rules = try rules.map { try #require(ProbeRule($0)) }
    return ProbeRule.verdict(on: Array(text.utf8), isOver: isOver, by: rules)
  }

  /// The first line of the answer; nil for none, `closed` for an empty one.
  private func status(_ verdict: ProbeVerdict) -> String? {
    switch verdict {
    case .incomplete: return nil
    case .answered(let bytes), .strange(let bytes):
      return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").first.map { String($0) }
        ?? "closed"
    }
  }

  @Test func `a connection without a word is a question of TCP`() throws {
    #expect(try verdict("", "80") == .incomplete)
    #expect(try verdict("", isOver: true, "80") == .answered([]))
    #expect(try verdict("", isOver: true, "80/live") == .answered([]))
    #expect(try verdict("G", "80") == .strange([]))
  }

  @Test(arguments: ["GET /live HTTP/1.1\r\nHost: a\r\n\r\n", "GET /live HTTP/1.0\r\n\r\n"])
  func `a request is answered when it is whole, and not before`(request: String) throws {
    for count in 1..<request.utf8.count {
      let part = String(request.prefix { _ in true }.utf8.prefix(count)) ?? ""
      #expect(try verdict(part, "/ready", "/live") == .incomplete, "\(part)")
      #expect(try status(verdict(part, isOver: true, "/live"))?.hasPrefix("HTTP/1.1 503") == true)
    }
    guard case .answered(let answer) = try verdict(request, "/ready", "/live") else {
      return #expect(Bool(false), "it is not answered")
    }
    let text = String(decoding: answer, as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.hasSuffix("\r\nConnection: close\r\n\r\nok\n"))
    #expect(text.contains("\r\nContent-Length: 3\r\n"))
  }

  @Test(arguments: [
    "GET /metrics HTTP/1.1\r\n", "GET /livez HTTP/1.1\r\n", "POST /live HTTP/1.1\r\n",
    "GET /live HTTP/2.0\r\n\r\n",
    "GET /live\r\n\r\n", "HELO a\r\n", "GET  /live HTTP/1.1\r\n\r\n", "GET /live HTTP/1.1\n\n",
    "GET /live HTTP/1.1\r\nContent-Length: 1\r\n\r\nx",
  ])
  func `anything else gets 503`(request: String) throws {
    #expect(try status(verdict(request, "/live"))?.hasPrefix("HTTP/1.1 503 ") == true)
    let endless = "GET /live HTTP/1.1\r\nX: " + String(repeating: "x", count: ProbeRule.longestRequest)
    #expect(try status(verdict(endless, "/live"))?.hasPrefix("HTTP/1.1 503 ") == true)
  }

  @Test func `a greeting of TLS gets no word of HTTP`() throws {
    #expect(try verdict("\u{16}\u{3}\u{1}", "/live") == .strange([]))
  }

  // MARK: The sleeper

  private func sleeper(_ rules: String...) throws -> Script {
    var script = Script()
    let rules = try rules.map { try #require(ProbeRule($0)) }
    script.commandAsleep("web") { $0.settings.probes = rules }
    return script
  }

  @Test func `probes are answered for a sleeper, counted, and named once in the log`() throws {
    var script = try sleeper("80")
    _ = script.takeNotes()
    for _ in 0..<60 {
      #expect(script.ready("web", .probe) == ["answer ping on web's line 1"])
      script.answered("web")
    }
    #expect(try script.view("web").lines.first?.answered == 60)
    #expect(script.takeNotes() == [.pingAnswered(LineID(1))])
    #expect(script.state("web") == .suspended)
  }

  @Test func `a flood wakes it, and so does the first probe after 600 s`() throws {
    var script = try sleeper("80")
    for _ in 0..<600 { script.answered("web") }
    #expect(script.ready("web", .probe) == ["thaw web", "web: woke, accept on line 1"])
    script = try sleeper("80")
    script.jump(to: 590)
    #expect(script.ready("web", .probe) == ["answer ping on web's line 1"])
    script.jump(to: 610)
    #expect(script.ready("web", .probe) == ["thaw web", "web: woke, accept on line 1"])
  }

  @Test func `a command without rules is woken`() throws {
    var script = try sleeper()
    #expect(script.ready("web", .probe) == ["thaw web", "web: woke, accept on line 1"])
  }
}
