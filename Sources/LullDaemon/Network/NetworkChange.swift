import LullInspect
import LullSystem

/// The network before and after a change, and whom the change concerns. It makes no system call.
struct NetworkChange {
  let before: NetworkState
  let after: NetworkState
  var passing: Set<HostAddress> = []
  /// True when the machine was asleep: what was left of a connection may be gone at the other end.
  let hasResumed: Bool

  var isAny: Bool { hasResumed || before != after || passing.contains { !after.has($0) } }

  var changesAny: Bool { before != after }

  var changesWayOut: Bool { changesWays(to: .anywhereV4) || changesWays(to: .anywhereV6) }

  /// True when something cannot be reached any more, which may be so for a moment only. Of very many routes
  /// nobody knows it soon.
  var isLoss: Bool {
    guard before.routes.count <= 256 else { return before != after }
    return before.routes.contains { route in
      guard let destination = HostAddress(bytes: route.destination) else { return false }
      return !before.ways(to: destination).isEmpty && after.ways(to: destination).isEmpty
    }
  }

  struct Verdict: Equatable {
    var isConcerned = false
    var lost: [HostAddress] = []
  }

  private static let maximumLost = 8

  /// `isOffline`: the program has no line at all. `missed` are the destinations that it lost in an earlier
  /// change.
  func verdict(on lines: [LineEnds], isOffline: Bool, missed: [HostAddress]) -> Verdict {
    let own = lines.filter(isHere)
    let hit = own.filter(concerns)
    let isBack = missed.contains(where: gainsWay) || isOffline && gainsWayOut
    let isUnsure = hasResumed && (!own.isEmpty || isOffline)
    let lost = hit.isEmpty ? own.contains(where: isHealthy) ? [] : missed : hit.compactMap(\.peer)
    return Verdict(
      isConcerned: !hit.isEmpty || isBack || isUnsure, lost: Array(lost.prefix(Self.maximumLost)))
  }

  /// False for a line of another network namespace.
  private func isHere(_ line: LineEnds) -> Bool {
    line.local.isUnspecified || had(line) || after.has(line.local)
  }

  private func had(_ line: LineEnds) -> Bool { before.has(line.local) || passing.contains(line.local) }

  private func isHealthy(_ line: LineEnds) -> Bool {
    guard line.local.isUnspecified || after.has(line.local) else { return false }
    return line.peer.map { !after.ways(to: $0).isEmpty } ?? !line.isListening
  }

  private func concerns(_ line: LineEnds) -> Bool {
    if !line.local.isUnspecified {
      if had(line), !after.has(line.local) { return true }
      // Whoever has a new address has connected since it came, perhaps by a way that is gone again.
      guard before.has(line.local) else { return line.peer != nil && !isHealthy(line) }
    }
    if let peer = line.peer, !peer.isUnspecified { return changesWays(to: peer) }
    // Whoever waits for connections on every address makes none.
    guard !line.isListening else { return false }
    let isForAll = line.local.isUnspecified && line.local.bytes.count == 16
    return changesWays(to: line.local.anywhere) || isForAll && changesWays(to: .anywhereV4)
  }

  private func changesWays(to destination: HostAddress) -> Bool {
    before.ways(to: destination) != after.ways(to: destination)
  }

  private func gainsWay(to destination: HostAddress) -> Bool {
    let ways = after.ways(to: destination)
    return !ways.isEmpty && ways != before.ways(to: destination)
  }

  private var gainsWayOut: Bool { gainsWay(to: .anywhereV4) || gainsWay(to: .anywhereV6) }
}

struct LineEnds: Equatable {
  let local: HostAddress
  /// Nil: the line has no peer yet, or it speaks to many.
  let peer: HostAddress?
  let isListening: Bool

  init(local: HostAddress, peer: HostAddress?, isListening: Bool = false) {
    (self.local, self.peer, self.isListening) = (local, peer, isListening)
  }

  /// The members of a large set are no lines.
  static func isInternet(_ line: LineDescription) -> Bool { [.tcp, .tcpListen, .udp].contains(line.kind) }

  init?(_ line: LineDescription) {
    guard Self.isInternet(line), let local = HostAddress(of: line.local) else {
      return nil
    }
    let peer = HostAddress(of: line.peer)
    guard !local.isLoopback, peer?.isLoopback != true else { return nil }
    self.init(local: local, peer: peer, isListening: line.isListening)
  }
}
