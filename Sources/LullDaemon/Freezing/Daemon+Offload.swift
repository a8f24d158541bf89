import LullEngine
import LullSystem

extension Daemon {
  /// True when the queue of the line holds exactly one message that a rule of the line covers.
  func offloaded(_ line: HeldLine, _ duplicate: DescriptorBox) -> Bool {
    rule(of: line, duplicate) != nil
  }

  private func rule(of line: HeldLine, _ duplicate: DescriptorBox) -> OffloadRule? {
    // A longer queue is not one message; on a stream the kernel's count covers all of it.
    guard let unread = try? Socket.unreadBytes(duplicate.raw), unread <= OffloadRule.longestMessage,
      case .bytes(let count)? = try? Socket.peek(duplicate.raw, into: &receiveBuffer), count == unread
    else { return nil }
    return line.rules.first { $0.matches(receiveBuffer.received) }
  }

  /// Takes the ping out of the queue, answers it and watches the line again.
  func answerPing(_ id: AppID, _ lineID: LineID) {
    guard let program = program(id), let line = program.line(lineID), let duplicate = line.duplicate else {
      return
    }
    program.wokenAt = nil
    defer { rewatch(id, lineID) }
    guard let rule = rule(of: line, duplicate) else { return }
    switch rule {
    case .line, .crlf:
      // Unsent bytes before the answer could leave it cut in two; the program will send them, so wait for it.
      guard (try? Socket.unsentBytes(duplicate.raw)) == 0,
        case .bytes? = try? Socket.read(duplicate.raw, into: &receiveBuffer, atMost: receiveBuffer.count)
      else { return }
      _ = try? Socket.write(duplicate.raw, rule.streamAnswer)
    case .udpKeepalive: _ = try? Socket.read(duplicate.raw, into: &receiveBuffer)
    case .stun: answerBinding(duplicate)
    }
  }

  private func answerBinding(_ duplicate: DescriptorBox) {
    guard let sender = try? Socket.readDatagram(duplicate.raw, into: &receiveBuffer),
      let (address, port) = sender.networkBytes
    else { return }
    let answer = STUN.response(to: receiveBuffer.received, address: address, port: port)
    _ = try? Socket.sendDatagram(duplicate.raw, answer, to: sender)
  }
}

extension HeldLine {
  var rules: [OffloadRule] {
    var rules: [OffloadRule] = []
    if offload.contains(.line) { rules.append(.line) }
    if offload.contains(.crlf) { rules.append(.crlf) }
    if offload.contains(.udpKeepalive) { rules.append(.udpKeepalive) }
    if offload.contains(.stun) { rules.append(.stun) }
    return rules
  }
}
