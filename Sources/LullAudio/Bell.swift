public import LullSystem

/// This end of the socket pair between a program and lull-audio, in which bytes mean "look".
public final class Bell {
  private let socket: DescriptorBox
  private static let stroke: InlineArray<1, UInt8> = [1]

  /// Takes over one end.
  public init(_ socket: DescriptorBox) { self.socket = socket }

  /// The descriptor to watch.
  public var raw: Int32 { socket.raw }

  /// Tells the program to look. When the socket is full, it has not looked yet.
  public func ring() { _ = try? Socket.write(socket.raw, Self.stroke.span) }

  /// Forgets what the program sent; false when the program is gone.
  public func silence(_ buffer: inout ReceiveBuffer) -> Bool {
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
