package import LullChannel
package import LullSystem
package import LullWire

// The link between lulld and lull-guard, which carries a text line and a descriptor for each kept line.
extension MessageChannel {
  /// The bytes that may wait for a guard that does not read. More are refused: the guard is told everything
  /// anew when it reads again.
  package static var maximumGuardOutput: Int { 1 << 20 }

  /// One end of the link. Neither side ever waits for the other. The guard tells each daemon everything once,
  /// so the guard's end has no bound.
  package convenience init(
    guardLink socket: DescriptorBox, maximumOutput: Int = MessageChannel.maximumGuardOutput
  ) {
    self.init(
      socket, overload: .refuseMore, maximumOutput: maximumOutput, maximumLine: Limits.maximumGuardLine)
  }

  /// The next message, with the descriptor that travelled with it; nil when there is none. Each message is
  /// carried out before the next one is read: reading the next one may be what ends the daemon.
  package func nextMessage() -> (message: Message, descriptor: DescriptorBox?)? {
    while let incoming = next() {
      switch incoming {
      case .message(let message, let descriptor): return (message, descriptor)
      case .invalid: continue
      case .ended: return nil
      }
    }
    return nil
  }
}
