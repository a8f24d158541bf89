import LullChannel
import LullSystem
import LullTransfers
import LullWire

/// Wakes or launches the program of a session. Only this file knows how.
enum Teller {
  enum Outcome: Equatable {
    case told
    /// Nobody is there who could be told, as after `lull quit`.
    case pointless(String)
    case later(String)
  }

  private static let patience: Int64 = 10_000_000_000

  /// The link of the session wakes a program on the library, and launches any that does not run. A command
  /// that runs takes no link, and is only woken.
  static func tell(_ program: String, of session: String) -> Outcome {
    let reply = ask(.open(url: "\(TransferSession.scheme):\(session)", name: program))
    guard case .error(let code, let words)? = reply else { return reply == nil ? .later("no lulld") : .told }
    switch code {
    case .refused: return .pointless(words)
    case .unsupported, .noSuchProgram: break
    default: return .later(words)
    }
    guard case .error(_, let others)? = ask(.wake(name: program)) else { return .told }
    return .pointless(code == .unsupported ? others : words)
  }

  /// Nil where no daemon answers.
  private static func ask(_ request: Request) -> Reply? {
    guard let socket = try? ControlSocket.connect(path: RuntimeDirectory.controlSocket()),
      let line = try? request.message().encoded()
    else { return nil }
    let channel = MessageChannel(DescriptorBox(socket), overload: .dropPeer)
    channel.queue(line: line)
    _ = channel.flush()
    var buffer = ReceiveBuffer(capacity: Limits.maximumLine)
    let deadline = Clock.boottime() + patience
    while case .message(let message, _)? = try? channel.next(until: deadline, into: &buffer) {
      if message.answer != .event { return (try? Reply(message)) ?? nil }
    }
    return nil
  }
}
