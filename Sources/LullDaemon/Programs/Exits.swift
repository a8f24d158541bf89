import LullWire

/// Ends of commands that no client has been told of yet.
final class Exits {
  /// The end of a command that no client has been told of.
  struct UnheardEnd {
    let name: String
    let pid: Int32
    let notice: Message
  }

  static let maximumUnheard = 64

  /// Commands that ended with no client attached, oldest first.
  private var unheard: [UnheardEnd] = []

  /// Remembers the end of a command. A command that ends while the daemon is restarted is gone before its
  /// `lull run` can attach again.
  func remember(_ end: UnheardEnd) {
    unheard.removeAll { $0.name == end.name }
    if unheard.count == Self.maximumUnheard { unheard.removeFirst() }
    unheard.append(end)
  }

  /// The end of a command of that name, which is told once.
  func take(_ name: String) -> UnheardEnd? {
    unheard.firstIndex { $0.name == name }.map { unheard.remove(at: $0) }
  }

  /// The notice of a command's end for the clients that watch it.
  static func notice(of name: String, _ status: ExitStatus) -> Message {
    Message(event: .exited).adding(.name, name).adding(status)
  }
}
