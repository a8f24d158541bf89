import LullEngine
import LullSystem

/// Answers messages for sleeping programs by their offload rules.
final class OffloadResponder {
  enum Outcome {
    case answered
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

/// The messages that the daemon may answer for a sleeping program. A rule matches a queue that holds exactly
/// one message and nothing else; any other content wakes the program.
enum OffloadRule {
  /// The line protocol: `ping` LF, answered `pong` LF.
  case line
  /// RFC 5626, section 3.5.1: CRLF CRLF, answered CRLF.
  case crlf
  /// A NAT keep-alive datagram: empty lines or one zero byte, answered by nothing.
  case udpKeepalive
  /// RFC 8489: a binding request, answered with the sender's address.
  case stun

  /// A bound above the length of every message that a rule covers, in bytes.
  static let longestMessage = 64

  func matches(_ bytes: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .line: bytes.elementsEqual("ping\n".utf8)
    case .crlf: bytes.elementsEqual("\r\n\r\n".utf8)
    case .udpKeepalive:
      bytes.elementsEqual("\r\n\r\n".utf8) || bytes.elementsEqual("\r\n".utf8) || bytes.elementsEqual([0])
    case .stun: STUN.isPlainBindingRequest(bytes)
    }
  }

  var streamAnswer: [UInt8] {
    switch self {
    case .line: Array("pong\n".utf8)
    case .crlf: Array("\r\n".utf8)
    case .udpKeepalive, .stun: []
    }
  }
}

/// Session Traversal Utilities for NAT, the part that a keep-alive needs (RFC 8489, sections 5 and 14.2).
enum STUN {
  private static let cookie: [UInt8] = [0x21, 0x12, 0xA4, 0x42]

  /// True for a binding request without attributes: a request with a MESSAGE-INTEGRITY is for the program.
  static func isPlainBindingRequest(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count == 20 && bytes.starts(with: [0x00, 0x01, 0x00, 0x00])
      && bytes.dropFirst(4).starts(with: cookie)
  }

  /// The binding success response with XOR-MAPPED-ADDRESS; `address` is 4 or 16 bytes, in network order.
  static func response(to request: ArraySlice<UInt8>, address: [UInt8], port: UInt16) -> [UInt8] {
    let transaction = Array(request.dropFirst(8).prefix(12))
    let family: UInt8 = address.count == 4 ? 1 : 2
    let mask = cookie + transaction
    let portBytes = [UInt8(port >> 8) ^ mask[0], UInt8(port & 0xFF) ^ mask[1]]
    let value = [0, family] + portBytes + zip(address, mask).map { $0 ^ $1 }
    let attribute: [UInt8] = [0x00, 0x20, 0x00, UInt8(value.count)] + value
    return [0x01, 0x01, 0x00, UInt8(attribute.count)] + cookie + transaction + attribute
  }
}
