import LullInspect
import LullSystem

/// What the shell knows of a program's wakes, and the engine does not.
struct WakeFacts {
  /// True when a line became ready while the program slept, and the thaw waits for the engine.
  var awaitsThaw = false
  /// From the moment at which the data was seen to the thaw.
  var waitedMicroseconds: Int64?
  private var source: (line: LineDescription, sender: SocketAddress?)?
  private var size: Int?

  mutating func woken(by line: LineDescription, sender: SocketAddress?, size: Int?) {
    (source, self.size) = ((line, sender), size)
  }

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
