import LullSystem
import TestSupport
import Testing

/// A daemon in a network that a wire joins to the network of a server: 10.9.0.1 and 10.8.0.1 on this side,
/// 10.9.0.2, 10.9.0.3 and 10.8.0.2 on the other, and 10.7.0.2 behind them.
final class Wire {
  let stage: Stage
  let far: Network
  private let listener: DescriptorBox
  /// What lives as long as the wire.
  private var phones: [ConnectedChild] = [], connections: [Channel] = []
  static let port: UInt16 = 10_000

  /// The daemon starts when the networks are complete.
  init() throws {
    let near = try Network()
    far = try Network()
    try near.ip("link add wire type veth peer name wire netns \(far.holder)")
    for (network, number) in [(near, 1), (far, 2)] {
      try network.ip("addr add 10.9.0.\(number)/24 dev wire")
      try network.ip("addr add 10.8.0.\(number)/24 dev wire")
      try network.ip("link set wire up")
    }
    try far.ip("addr add 10.9.0.3/24 dev wire")
    try far.ip("addr add 10.7.0.2/32 dev wire")
    try near.ip("route add 10.7.0.0/24 via 10.9.0.2")
    let everywhere = try #require(SocketAddress(numeric: "0.0.0.0:\(Self.port)"))
    listener = try far.inside { DescriptorBox(try Socket.listen(everywhere)) }
    // The kernel may say later that a link runs; until then a daemon knows none of its routes.
    let here = try #require(HostAddress(bytes: [10, 9, 0, 1]))
    try eventually("the wire does not run") { try near.inside { try NetworkState.read() }.has(here) }
    stage = try Stage(network: near)
  }

  var near: Network { stage.network }

  /// The next connection to the server.
  func accept() throws -> Channel {
    try Deadline().wait(listener.raw, .readable, for: "a connection to the server")
    switch try Socket.accept(from: listener.raw) {
    case .some(let descriptor):
      let connection = Channel(DescriptorBox(descriptor), name: "the server's connection")
      connections.append(connection)
      return connection
    case .none: throw NothingCame(description: "the connection was given up")
    }
  }

  /// Starts lull-phone with the server at this address, and answers its first ping.
  func startPhone(
    _ name: String = "phone", to address: String = "10.9.0.2", options: [String] = []
  ) throws -> (ConnectedChild, Channel) {
    let phone = try ConnectedChild(
      near.prefix + [Built.program("lull-phone"), "\(address):\(Self.port)", "--name", name] + options,
      environment: stage.lull.environment)
    phones.append(phone)
    return (phone, try answerPing())
  }

  /// Takes the next connection and answers its ping.
  func answerPing() throws -> Channel {
    let server = try accept()
    #expect(try server.line() == "ping")
    try server.send("pong\n")
    return server
  }
}
