import LullGuard
import LullSystem
import LullWire

/// The process at the other end of a connection, as the kernel noted it when the connection was made.
struct PeerProcess {
  let pid: Int32
  let pidfd: DescriptorBox

  static func identify(_ descriptor: DescriptorBox, _ journal: Journal) throws(Rejection) -> PeerProcess {
    do {
      let peer = try UnixSocket.peer(of: descriptor.raw)
      guard peer.uid == Identity.uid() else {
        journal.note(program: nil, what: "refused", .init(.connectionOf, number: peer.uid))
        throw Rejection(.refused, .init(.otherUser, number: Identity.uid()))
      }
      guard peer.pid > 0 else { throw Rejection.otherNamespace }
      return try PeerProcess(pid: peer.pid, pidfd: DescriptorBox(UnixSocket.peerPidfd(of: descriptor.raw)))
    } catch let rejection as Rejection {
      throw rejection
    } catch let error as SystemError where error.isOutOfDescriptors {
      throw Rejection.outOfDescriptors
    } catch {
      throw Rejection(.refused, .init(.peerUnknown, error: "\(error)"))
    }
  }
}

struct Rejection: Error {
  let reply: Reply

  init(_ code: Code, _ why: Explanation) { reply = .error(code, why) }

  static var outOfDescriptors: Rejection { Rejection(.tooManyClients, .init(.descriptorsUsedUp)) }
  static var otherNamespace: Rejection { Rejection(.refused, .init(.otherNamespace)) }
}

struct Admission {
  /// A process outside every program may use the reserved connections when it has fewer connections than
  /// this.
  private static let connectionsOfOperator = 4

  private let maximum: Int, maximumOfOne: Int, reserved: Int
  private var counts: [Int32: Int] = [:]

  init(_ options: DaemonOptions) {
    (maximum, maximumOfOne) = (options.maximumClients, options.maximumConnections)
    reserved = options.reservedClients
  }

  /// The last connections are for an operator who has hardly any. `ofProgram` and `all` count connections.
  func checkRoom(for pid: Int32, ofProgram: Int?, all: Int, isLent: Bool) throws(Rejection) {
    let own = ofProgram ?? counts[pid] ?? 0
    guard own < maximumOfOne else {
      throw Rejection(.tooManyClients, .init(.tooManyOfOne, limit: Double(maximumOfOne)))
    }
    let free = maximum - all
    guard free > 0 else {
      throw Rejection(.tooManyClients, .init(.tooManyConnections, limit: Double(maximum)))
    }
    guard isLent || free <= reserved else { return }
    guard ofProgram == nil, own < Self.connectionsOfOperator else {
      throw isLent
        ? Rejection.outOfDescriptors
        : Rejection(.tooManyClients, .init(.connectionsReserved, count: reserved))
    }
  }

  mutating func entered(_ pid: Int32) { counts[pid, default: 0] += 1 }

  mutating func left(_ pid: Int32) {
    let left = (counts[pid] ?? 1) - 1
    counts[pid] = left > 0 ? left : nil
  }
}

extension DaemonOptions {
  /// Lowers the limit of connections where there are few descriptors, so that connections alone cannot use
  /// them up.
  mutating func limitClients(openFiles: Int) {
    maximumClients = min(maximumClients, max(16, (openFiles - 256) / Client.maximumDescriptors))
    maximumConnections = min(maximumConnections, maximumClients / 2)
    reservedClients = min(reservedClients, maximumClients / 4)
  }
}
