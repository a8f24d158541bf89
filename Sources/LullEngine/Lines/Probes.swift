// Health checks: what is done about the connections that wait for a sleeper, and about what they ask.

/// The connections that wait in the queue of a listening socket of a sleeper.
public struct ConnectionQueue: Equatable, Sendable {
  /// The number of connections, before their peers were read.
  public var length: Int
  /// From this length on the kernel refuses more.
  public var limit: Int
  /// The addresses of the peers, 4 or 16 bytes each, perhaps of some who came later. A connection that was
  /// broken off has none.
  public var peers: [[UInt8]]

  /// A queue with these peers.
  public init(length: Int, limit: Int, peers: [[UInt8]]) {
    (self.length, self.limit, self.peers) = (length, limit, peers)
  }
}

/// What is done about a queue.
public enum QueueVerdict: Equatable, Sendable {
  case wake
  /// The connections wait until the program is awake.
  case leave
  /// So many are taken from the head of the queue, and answered for the program.
  case answer(Int)
}

/// What is done about a connection that was taken for a program.
public enum ProbeVerdict: Equatable, Sendable {
  /// The question goes on.
  case incomplete
  /// It is answered with these bytes, maybe none, and closed.
  case answered([UInt8])
  /// It is no question of a rule: it gets these bytes and is closed, and the program is woken.
  case strange([UInt8])
}

extension ProgramSettings {
  /// The rules for a listening socket with this port.
  public func probes(at port: UInt16?) -> [ProbeRule] { probes.filter { $0.port == nil || $0.port == port } }

  /// True for a peer whose connections the program ignores.
  public func ignores(peer: [UInt8]) -> Bool { ignoredPeers.contains { $0.contains(peer) } }

  /// A connection of anybody else wakes the program, and nothing is taken. So does a queue that is half full,
  /// or the next clients would be refused. `room` is the number of connections that may be taken.
  public func verdict(on queue: ConnectionQueue, port: UInt16?, room: Int) -> QueueVerdict {
    guard queue.length > 0 else { return .leave }
    guard queue.peers.count >= queue.length, queue.peers.allSatisfy(ignores) else { return .wake }
    guard probes(at: port).isEmpty else { return queue.length <= room ? .answer(queue.length) : .wake }
    return queue.length * 2 < queue.limit ? .leave : .wake
  }
}

extension ProbeRule {
  /// The longest head of a request, in bytes.
  public static let longestRequest = 4096

  /// A verdict by the rules of a port. `isOver`: nothing follows, because the peer has ended its side or its
  /// time is over.
  public static func verdict(on bytes: [UInt8], isOver: Bool, by rules: [ProbeRule]) -> ProbeVerdict {
    guard let first = bytes.first else { return isOver ? .answered([]) : .incomplete }
    let paths = rules.compactMap(\.path)
    guard !paths.isEmpty, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else { return .strange([]) }
    let asks = paths.contains { path in
      ["1.1", "1.0"].contains { bytes.starts(with: "GET \(path) HTTP/\($0)\r\n".utf8) }
    }
    if asks, bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) { return .answered(yes) }
    // A head with a body behind it, or with other ends of lines, does not become a question of a rule.
    let isWhole = ["\r\n\r\n", "\n\n"].contains { end in
      bytes.indices.contains { bytes[$0...].starts(with: end.utf8) }
    }
    let mayAsk =
      asks || paths.contains { "GET \($0) HTTP/1.".utf8.starts(with: bytes.prefix($0.utf8.count + 12)) }
    return mayAsk && !isWhole && !isOver && bytes.count < longestRequest ? .incomplete : .strange(unavailable)
  }

  private static var yes: [UInt8] { answer("200 OK", body: "ok\n") }
  private static var unavailable: [UInt8] { answer("503 Service Unavailable", body: "asleep\n") }

  private static func answer(_ status: String, body: String) -> [UInt8] {
    let head = [
      "HTTP/1.1 \(status)", "Content-Type: text/plain", "Content-Length: \(body.utf8.count)",
      "Cache-Control: no-store", "Connection: close",
    ]
    return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
  }
}
