import LullWire

/// Ends of commands that no client has been told of yet.
final class Exits {
  struct UnheardEnd {
    let name: String
    let pid: Int32
    let notice: Message
  }

  static let maximumUnheard = 64

  /// Oldest first.
  private var unheard: [UnheardEnd] = []

  /// A command that ends while the daemon is restarted is gone before its `lull run` can attach again.
  func remember(_ end: UnheardEnd) {
    unheard.removeAll { $0.name == end.name }
    if unheard.count == Self.maximumUnheard { unheard.removeFirst() }
    unheard.append(end)
  }

  /// An end is told once.
  func take(_ name: String) -> UnheardEnd? {
    unheard.firstIndex { $0.name == name }.map { unheard.remove(at: $0) }
  }

  static func notice(of name: String, _ status: ExitStatus) -> Message {
    status.adding(to: Message(event: .exited).adding(.name, name))
  }
}
