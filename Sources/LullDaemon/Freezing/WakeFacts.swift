import LullInspect
import LullSystem

/// The shell's facts about a program's wakes, beside the engine.
struct WakeFacts {
  /// True when a line became ready while the program slept, and the thaw waits for the engine.
  var awaitsThaw = false
  /// The time that the data waited, from the moment at which it was seen to the thaw.
  var waitedMicroseconds: Int64?
  private var source: (line: LineDescription, sender: SocketAddress?)?
  /// The number of descriptors in the epoll set that woke the program.
  private var size: Int?

  mutating func woken(by line: LineDescription, sender: SocketAddress?, size: Int?) {
    (source, self.size) = ((line, sender), size)
  }

  /// Nil when the line has no peer.
  var peer: String? {
    guard let source else { return nil }
    if let sender = source.sender { return "\(sender)" }
    return source.line.peer.isEmpty ? nil : source.line.peer
  }

  var text: String? {
    guard let source else { return nil }
    if let size { return "\(source.line.text), \(size) connections" }
    return source.line.text + (peer.map { " from \($0)" } ?? "")
  }
}
