import LullInspect
import LullSystem

struct LineEnds: Equatable {
  let local: HostAddress
  /// Nil: the line has no peer yet, or it speaks to many.
  let peer: HostAddress?
  /// True for a line on which connections arrive.
  let isListening: Bool

  init(local: HostAddress, peer: HostAddress?, isListening: Bool = false) {
    (self.local, self.peer, self.isListening) = (local, peer, isListening)
  }

  /// The members of a large set are no lines.
  static func isInternet(_ line: LineDescription) -> Bool { [.tcp, .tcpListen, .udp].contains(line.kind) }

  /// Nil for a line that is no internet socket, or does not leave the machine.
  init?(_ line: LineDescription) {
    guard Self.isInternet(line), let local = HostAddress(of: line.local) else {
      return nil
    }
    let peer = HostAddress(of: line.peer)
    guard !local.isLoopback, peer?.isLoopback != true else { return nil }
    self.init(local: local, peer: peer, isListening: line.isListening)
  }
}
