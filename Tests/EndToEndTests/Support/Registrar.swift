import LullSystem
import TestSupport
import Testing

/// A SIP registrar that accepts every client that connects by TCP.
final class Registrar {
  private let server: Server
  private var flow: Channel?

  init(_ network: Network) throws {
    server = try network.inside { try Server() }
  }

  /// The settings with which baresip's account registers here on a flow of its own.
  var account: String {
    "regint=3600;sipnat=outbound;outbound=\"sip:127.0.0.1:\(server.port);transport=tcp\""
  }

  /// Waits for a REGISTER on a new connection and grants it.
  func register() throws {
    let flow = try server.accept()
    self.flow = flow
    let request = try Self.head(of: flow)
    try #require(request.first?.hasPrefix("REGISTER ") == true, "no REGISTER: \(request)")
    let copied = request.filter { line in
      ["Via:", "From:", "To:", "Call-ID:", "CSeq:", "Contact:"].contains { line.hasPrefix($0) }
    }
    let answer = ["SIP/2.0 200 OK"] + copied + ["Expires: 3600", "Content-Length: 0", "", ""]
    try flow.send(answer.joined(separator: "\r\n"))
  }

  func hangUp() { flow?.close() }

  /// A message's lines up to the empty one.
  private static func head(of flow: Channel) throws -> [String] {
    var lines: [String] = []
    while true {
      let line = try flow.line()
      guard line != "\r" else { return lines }
      lines.append(String(line.filter { $0 != "\r" && $0 != "\r\n" }))
    }
  }
}
