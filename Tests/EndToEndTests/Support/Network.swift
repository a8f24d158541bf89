import CPuppet
import Glibc
import LullSystem
import TestSupport
import Testing

/// The network of a test's sockets: a namespace of its own, in which every port is free. Where the machine
/// permits no namespace the sockets are on everybody's loopback.
final class Network {
  private enum Place {
    case own(holder: ConnectedChild, namespace: DescriptorBox)
    case shared
  }

  private let place: Place

  init() throws {
    place = Self.isPermitted ? try Self.makeOwn() : .shared
  }

  /// The first words of a command that is to run in this network.
  var prefix: [String] {
    switch place {
    case .own(let holder, _): ["nsenter", "--net=/proc/\(holder.pid)/ns/net"]
    case .shared: []
    }
  }

  /// The process that holds the namespace; only where `isPermitted`.
  var holder: Int32 {
    get throws {
      guard case .own(let holder, _) = place else {
        throw NothingCame(description: "the machine permits no network namespace")
      }
      return holder.pid
    }
  }

  /// `ip WORDS` in this network, which must be one of its own.
  func ip(_ words: String) throws {
    _ = try holder
    let child = try ConnectedChild(prefix + ["ip"] + words.split(separator: " ").map(String.init))
    let complaint = try child.errors.untilEnd()
    try #require(child.end() == .exited(0), "ip \(words): \(complaint)")
  }

  /// Runs `work` in this network: a socket stays in the namespace in which it was made.
  func inside<Result>(_ work: () throws -> Result) throws -> Result {
    guard case .own(_, let namespace) = place else { return try work() }
    let before = try Self.namespace("/proc/thread-self/ns/net")
    try Kernel.check(cpuppet_enter_network(namespace.raw))
    let result = Swift.Result { try work() }
    try Kernel.check(cpuppet_enter_network(before.raw))
    return try result.get()
  }

  /// A port that nobody uses in this network.
  func freePort() throws -> UInt16 { try inside { TestSupport.freePort() } }

  /// A connection to a port of 127.0.0.1, or of ::1.
  func connect(to port: UInt16, version6: Bool = false) throws -> Channel {
    let box = try inside {
      let address: SocketAddress = version6 ? .loopbackV6(port: port) : .loopback(port: port)
      return DescriptorBox(try Socket.connectNonBlocking(address))
    }
    try Deadline().wait(box.raw, .writable, for: "the connection to port \(port)")
    if let error = try Socket.connectError(box.raw) { throw error }
    return Channel(box, name: "the connection to port \(port)")
  }

  /// A UDP socket that sends to a port of 127.0.0.1.
  func datagrams(to port: UInt16) throws -> Channel {
    let box = try inside { DescriptorBox(try Socket.connectDatagram(.loopback(port: port))) }
    return Channel(box, name: "the datagrams of port \(port)")
  }

  /// One attempt.
  static let isPermitted = (try? ConnectedChild(["unshare", "-n", "true"]).end()) == .exited(0)

  private static func makeOwn() throws -> Place {
    let script = "ip link set lo up && echo up && exec cat"
    let holder = try ConnectedChild(["unshare", "-n", "sh", "-c", script])
    try #require(try holder.output.line() == "up", "the loopback of a network namespace cannot be set up")
    return .own(holder: holder, namespace: try namespace("/proc/\(holder.pid)/ns/net"))
  }

  private static func namespace(_ path: String) throws -> DescriptorBox {
    let raw = unsafe open(path, O_RDONLY | O_CLOEXEC)
    try Kernel.check(raw)
    return DescriptorBox(Descriptor(owning: raw))
  }
}
