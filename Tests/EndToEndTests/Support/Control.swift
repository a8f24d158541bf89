import LullSystem
import LullWire
import TestSupport
import Testing

/// A connection to the control socket: requests, replies, notices.
final class Control {
  private let channel: Channel
  private var notices: [Message] = []
  let box: DescriptorBox
  /// Told every message of the daemon.
  var ear: ((Message) -> Void)?

  /// The answer to a request.
  struct Answer {
    var items: [Message] = []
    var last: Message

    /// The items of a kind.
    func all(_ kind: ItemKind) -> [Message] { items.filter { $0.itemKind == kind } }
  }

  init(path: String) throws {
    box = DescriptorBox(try UnixSocket.connect(path: path))
    channel = Channel(box, name: "the control socket")
  }

  func send(_ text: String) throws { try channel.send(text) }

  func send(_ bytes: [UInt8]) throws { try StandardStreams.write(bytes, to: box.raw) }

  /// The next text line as it stands.
  func line() throws -> String { try channel.line() }

  func untilEnd() throws -> String { try channel.untilEnd() }

  /// Asks and waits for `ok` or `error`; notices that come in between are kept.
  func ask(_ request: String) throws -> Answer {
    try channel.send(request + "\n")
    return try answer()
  }

  func answer() throws -> Answer {
    var items: [Message] = []
    while true {
      let message = try next()
      switch message.answer {
      case .event: notices.append(message)
      case .item: items.append(message)
      case .ok, .error, nil: return Answer(items: items, last: message)
      }
    }
  }

  private func next(before deadline: Deadline = Deadline()) throws -> Message {
    let message = try Message.parse(channel.line(before: deadline))
    ear?(message)
    return message
  }

  /// Asks for something that must be granted.
  @discardableResult
  func order(_ request: String) throws -> Answer {
    let answer = try ask(request)
    try #require(answer.last.answer == .ok, "\(request): \(answer.last)")
    return answer
  }

  func notice(before deadline: Deadline = Deadline()) throws -> Message {
    if !notices.isEmpty { return notices.removeFirst() }
    while true {
      let message = try next(before: deadline)
      if message.answer == .event { return message }
    }
  }

  /// A notice that came while an answer was waited for.
  func keptNotice() -> Message? { notices.isEmpty ? nil : notices.removeFirst() }

  func close() { channel.close() }
}
