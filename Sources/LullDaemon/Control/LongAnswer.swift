import LullChannel
import LullWire

/// Makes the first records of a part of an answer, at most `step`, and returns the rest of the part.
typealias Records = (_ part: Report.Part, _ step: Int) -> ([Message], rest: [Report.Part])

// An answer with several records is made while the client takes it.
extension Client {
  func begin(_ report: Report, _ records: Records, within outputs: OutputTotal) {
    rest = report
    queueMore(records, within: outputs)
  }

  /// Sends the waiting bytes and one slice more: the rest of a long answer comes when other clients have had
  /// a turn.
  func deliver(_ records: Records, within outputs: OutputTotal) -> Delivery {
    var delivery = channel.flush()
    if case .complete = delivery, rest != nil {
      queueMore(records, within: outputs)
      delivery = channel.flush()
    }
    if case .ended = delivery { rest = nil }
    return delivery
  }

  /// Further requests wait until the client has taken the answer.
  private func queueMore(_ records: Records, within outputs: OutputTotal) {
    while var report = rest, channel.outputEnd == nil, channel.queuedBytes < outputs.slice {
      guard let part = report.next() else {
        rest = nil
        channel.queue(Message(.ok).adding(.count, report.count))
        return
      }
      // The size of the slice is checked after each step.
      let (messages, parts) = records(part, outputs.isScarce ? 1 : 32)
      for message in messages { channel.queue(message) }
      report.sent(messages.count)
      report.put(parts)
      rest = report
    }
    if rest != nil { channel.holdUp() }
  }
}
