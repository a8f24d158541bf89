import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire
import Synchronization
import Testing

@testable import LullDaemon

private let serial = Atomic<Int>(0)

/// A control socket without a daemon behind it.
final class ControlRoom {
  let services: SharedServices
  let control: ControlServer
  private let path: String

  init(_ change: (inout DaemonOptions) -> Void = { _ in }) throws {
    var options = DaemonOptions()
    change(&options)
    services = try SharedServices(options)
    let number = serial.wrappingAdd(1, ordering: .relaxed).newValue
    path = "/tmp/lull-control-test-\(Identity.pid())-\(number)"
    control = ControlServer(DescriptorBox(try UnixSocket.listen(path: path)), services)
    try control.open()
  }

  deinit { try? Files.unlink(path) }

  func connect() throws -> Peer { try Peer(path: path) }

  /// A new connection, and its client in the server.
  func client(_ role: Client.Role = .operator) throws -> (Peer, Client) {
    let peer = try connect()
    control.accept { _ in role }
    return (peer, try #require(clients().last))
  }

  /// The connected clients, found by their slots.
  func clients() -> [Client] {
    (0..<64).flatMap { place in
      (0..<64).compactMap { control[Slot(index: place, generation: $0)] }
    }
  }

  /// The requests that a client has sent, in their order; errors in them are answered.
  func requests(from client: Client) -> [String] {
    var reads = RequestReader.readsAtOnce
    var verbs: [String] = []
    while let request = control.next(from: client, reads: &reads) { verbs.append(request.message.verb) }
    return verbs
  }

  /// Writes the waiting output.
  func flush(_ records: Records = { _, _ in ([], []) }) {
    while control.flushNext(records) {}
  }
}
