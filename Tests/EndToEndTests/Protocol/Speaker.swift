import LullSystem
import LullWire
import TestSupport
import Testing

/// Somebody who talks to the daemon in a play: a program, or an operator.
final class Speaker {
  private enum Mouth {
    case puppet(Puppet)
    case control(Control)
  }

  private let mouth: Mouth
  private let spoken: Spoken
  /// The requests whose answers are still to come.
  private var requests: [Message?] = []
  /// The items of the last answer.
  private(set) var items: [Message] = []
  /// The last answer.
  private(set) var reply: Message?

  init(_ puppet: Puppet, _ spoken: Spoken) {
    (mouth, self.spoken) = (.puppet(puppet), spoken)
    puppet.ear = { [weak self] in self?.hear($0) }
  }

  init(_ control: Control, _ spoken: Spoken) {
    (mouth, self.spoken) = (.control(control), spoken)
    control.ear = { [weak self] in self?.hear($0) }
  }

  /// The program; fails for an operator.
  var puppet: Puppet {
    get throws {
      guard case .puppet(let puppet) = mouth else { throw NothingCame(description: "it is no program") }
      return puppet
    }
  }

  private func hear(_ message: Message) {
    switch message.answer {
    case .event: spoken.note(notice: message)
    case .item:
      items.append(message)
      spoken.note(item: message, of: requests.first??.verb ?? "")
    case .ok:
      guard !requests.isEmpty, let request = requests.removeFirst() else { return }
      spoken.note(granted: request, message)
    case .error:
      if !requests.isEmpty { requests.removeFirst() }
      spoken.note(refused: message)
    case nil: break
    }
  }

  /// Says a line and waits for its answer.
  @discardableResult
  func ask(_ line: String, descriptor: Int32? = nil) throws -> Message {
    try say(line, descriptor: descriptor)
    return try answer()
  }

  /// Says a line, whose answer comes later.
  func say(_ line: String, descriptor: Int32? = nil) throws {
    items = []
    for line in line.components("\\x0A") { requests.append(try? Message.parse(line)) }
    switch mouth {
    case .puppet(let puppet):
      if let descriptor {
        try puppet.hand(descriptor, escaped: line)
      } else {
        try puppet.send(line.replacing("\\x0A", with: "\n"))
      }
    case .control(let control):
      let bytes = Self.unescaped(line + "\n")
      if let descriptor {
        _ = try UnixSocket.send(bytes, descriptor: descriptor, to: control.box.raw)
      } else {
        try control.send(bytes)
      }
    }
  }

  /// The answer to the last request.
  func answer() throws -> Message {
    repeat {
      switch mouth {
      case .puppet(let puppet): reply = try puppet.reply()
      case .control(let control): reply = try control.answer().last
      }
    } while !requests.isEmpty
    return reply ?? Message(.ok)
  }

  /// Sends a line in two pieces, each with a descriptor.
  func askTwice(_ line: String, descriptor: Int32) throws -> Message {
    guard case .control(let control) = mouth else { throw NothingCame(description: "it is no operator") }
    for part in [line, "\n"] {
      _ = try UnixSocket.send(Array(part.utf8), descriptor: descriptor, to: control.box.raw)
    }
    return try answer()
  }

  func notice(_ name: String, _ fits: (Message) -> Bool) throws -> Message {
    switch mouth {
    case .puppet(let puppet):
      return try puppet.wait("the notice \(name)") { $0.noticeName == name && fits($0) }
    case .control(let control):
      while true {
        let message = try control.notice()
        if message.noticeName == name, fits(message) { return message }
      }
    }
  }

  /// The daemon has closed the connection.
  func expectEnd() throws {
    guard case .control(let control) = mouth else { throw NothingCame(description: "it is no operator") }
    _ = try control.untilEnd()
  }

  /// Closes the connection. The daemon has taken note of it when this returns.
  func close() throws {
    guard case .control(let control) = mouth else { return }
    try Kernel.finishSending(control.box)
    _ = try control.untilEnd()
    control.close()
  }

  /// `\xFF` is a byte.
  private static func unescaped(_ line: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = line[...]
    while let place = rest.firstRange(of: "\\x") {
      bytes += rest[..<place.lowerBound].utf8
      bytes.append(UInt8(rest[place.upperBound...].prefix(2), radix: 16) ?? 0)
      rest = rest[place.upperBound...].dropFirst(2)
    }
    return bytes + rest.utf8
  }
}
