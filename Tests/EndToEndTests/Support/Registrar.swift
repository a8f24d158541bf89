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
    try Self.grant(request, expires: 3600, on: flow)
  }

  private static func grant(_ request: [String], expires: Int, on flow: Channel) throws {
    let copied = request.filter { line in
      ["Via:", "From:", "To:", "Call-ID:", "CSeq:", "Contact:"].contains { line.hasPrefix($0) }
    }
    let answer = ["SIP/2.0 200 OK"] + copied + ["Expires: \(expires)", "Content-Length: 0", "", ""]
    try flow.send(answer.joined(separator: "\r\n"))
  }

  /// Waits for the REGISTER that takes the registration back, and grants it.
  func unregister() throws {
    let flow = try #require(self.flow, "nobody has registered")
    var request = try Self.head(of: flow)
    // A keep-alive may stand before it.
    while request.isEmpty { request = try Self.head(of: flow) }
    try #require(request.first?.hasPrefix("REGISTER ") == true, "no REGISTER: \(request)")
    let contact = request.first { $0.hasPrefix("Contact:") } ?? ""
    #expect(contact.contains(";expires=0;") || request.contains("Expires: 0"), "\(request)")
    try Self.grant(request, expires: 0, on: flow)
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
