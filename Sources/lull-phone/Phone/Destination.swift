/// The address that the phone connects to: `HOST PORT`, `HOST:PORT` or `[ADDRESS]:PORT`.
struct Destination: Equatable {
  let host: String
  let port: UInt16

  /// Nil for a text of another form.
  init?(_ host: String, _ port: UInt16?) {
    if let port {
      guard !host.isEmpty, port > 0 else { return nil }
      (self.host, self.port) = (host, port)
      return
    }
    guard let colon = host.lastIndex(of: ":"), let number = UInt16(host[host.index(after: colon)...]),
      number > 0
    else { return nil }
    let name = host[..<colon]
    if name.hasPrefix("["), name.hasSuffix("]") {
      (self.host, self.port) = (String(name.dropFirst().dropLast()), number)
    } else {
      // More colons mean an IPv6 address without brackets, from which a port cannot be told apart.
      guard !name.isEmpty, !name.contains(":") else { return nil }
      (self.host, self.port) = (String(name), number)
    }
  }
}
