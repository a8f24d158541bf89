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

  /// Answers the ping, takes it out of the queue and watches the line again. What cannot be answered is left
  /// for the program, which is woken: watched again, it would be ready at once and for ever.
  func answerPing(_ id: AppID, _ lineID: LineID) {
    guard let program = program(id), let line = program.line(lineID), let duplicate = line.duplicate else {
      return
    }
    guard let rule = rule(of: line, duplicate), answer(rule, duplicate) else {
      return events.append(.ready(id, lineID, .data))
    }
    program.wokenAt = nil
    _ = try? Socket.read(duplicate.raw, into: &receiveBuffer, atMost: receiveBuffer.count)
    events.append(.pingAnswered(id, lineID))
    rewatch(id, lineID)
  }

  /// Sends all of the answer or nothing: the kernel cuts one of a few bytes only behind others that wait to be
  /// sent. Those are the program's, or pongs that the peer does not take.
  private func answer(_ rule: OffloadRule, _ duplicate: DescriptorBox) -> Bool {
    switch rule {
    case .line, .crlf:
      guard (try? Socket.unsentBytes(duplicate.raw)) == 0,
        case .sent(let count)? = try? Socket.write(duplicate.raw, rule.streamAnswer)
      else { return false }
      return count == rule.streamAnswer.count
    case .udpKeepalive: return true
    case .stun:
      guard let sender = Socket.peekSender(duplicate.raw), let (address, port) = sender.networkBytes else {
        return false
      }
      let answer = STUN.response(to: receiveBuffer.received, address: address, port: port)
      guard case .sent? = try? Socket.sendDatagram(duplicate.raw, answer, to: sender) else { return false }
      return true
    }
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
