package import LullSystem

/// This end of the socket pair between a program and lull-audio. A byte asks the other end to read the ring.
package final class Doorbell {
  private let socket: DescriptorBox
  private static let stroke: InlineArray<1, UInt8> = [1]

  package init(_ socket: DescriptorBox) { self.socket = socket }

  package var raw: Int32 { socket.raw }

  /// A full socket holds a byte that the program has not read yet.
  package func ring() { _ = try? Socket.write(socket.raw, Self.stroke.span) }

  /// Discards the program's bytes; false when the program is gone.
  package func silence(_ buffer: inout ReceiveBuffer) -> Bool {
    while true {
      guard let outcome = try? Socket.read(socket.raw, into: &buffer) else { return false }
      switch outcome {
      case .bytes(let count): if count < buffer.capacity { return true }
      case .wouldBlock: return true
      case .endOfStream: return false
      }
    }
  }
}
