import LullEngine
import LullSystem

/// Answers messages for sleeping programs by their offload rules.
final class OffloadResponder {
  enum Outcome {
    case answered
    /// No rule covers the message, or not any more.
    case notCovered
    /// Nothing was sent, and the message is left for the program.
    case unanswered
  }

  private var buffer = ReceiveBuffer(capacity: 4096)

  /// True when the queue of a line holds exactly one message that a rule of it covers.
  func covers(_ offload: Offload, _ duplicate: DescriptorBox, log: any FailureLog) -> Bool {
    rule(of: offload, duplicate, log) != nil
  }

  func respond(_ offload: Offload, _ duplicate: DescriptorBox, log: any FailureLog) -> Outcome {
    guard let rule = rule(of: offload, duplicate, log) else { return .notCovered }
    guard answer(rule, duplicate, log: log) else { return .unanswered }
    log.ignoring(.closed, try Socket.read(duplicate.raw, into: &buffer, atMost: buffer.count))
    return .answered
  }

  private func rule(of offload: Offload, _ duplicate: DescriptorBox, _ log: any FailureLog) -> OffloadRule? {
    // A longer queue is not one message; on a stream the kernel's count covers all of it.
    guard let unread = log.ignoring([], try Socket.unreadBytes(duplicate.raw)),
      unread <= OffloadRule.longestMessage,
      case .bytes(let count)? = log.ignoring(.closed, try Socket.peek(duplicate.raw, into: &buffer)),
      count == unread
    else { return nil }
    return OffloadRule.all.first { offload.contains($0.offload) && $0.rule.matches(buffer.received) }?.rule
  }

  /// Sends all of the answer or nothing. The kernel cuts an answer of a few bytes only behind others that
  /// wait to be sent. Those are the program's bytes, or pongs that the peer does not take.
  private func answer(_ rule: OffloadRule, _ duplicate: DescriptorBox, log: any FailureLog) -> Bool {
    switch rule {
    case .line, .crlf:
      guard log.ignoring([], try Socket.unsentBytes(duplicate.raw)) == 0,
        case .sent(let count)? = log.ignoring(.closed, try Socket.write(duplicate.raw, rule.streamAnswer))
      else { return false }
      return count == rule.streamAnswer.count
    case .udpKeepalive: return true
    case .stun:
      guard let sender = Socket.peekSender(duplicate.raw), let (address, port) = sender.networkBytes else {
        return false
      }
      let answer = STUN.response(to: buffer.received, address: address, port: port)
      let sent = log.ignoring(.closed, try Socket.sendDatagram(duplicate.raw, answer, to: sender))
      if case .sent? = sent { return true }
      return false
    }
  }
}

extension OffloadRule {
  fileprivate static let all: [(offload: Offload, rule: OffloadRule)] = [
    (.line, .line), (.crlf, .crlf), (.udpKeepalive, .udpKeepalive), (.stun, .stun),
  ]
}
