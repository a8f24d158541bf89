import LullWire

extension AudioSession {
  func item(_ program: String, _ record: AudioBoard.Record?) -> Message {
    let queued = record.map { Double($0.queuedFrames) / Double(fields.rate) }
    let seconds = queued.map { ($0 * 1000).rounded() / 1000 }
    return Message(item: .session).adding(.program, program).adding(.session, id.number)
      .adding(.category, word: fields.category).adding(.direction, word: fields.direction)
      .adding(.rate, fields.rate).adding(.channels, fields.channels).adding(.format, word: fields.format)
      .adding(.state, (record?.state ?? .idle).rawValue).adding(.order, order.rawValue)
      .adding(flag: .mix, if: fields.mix)
      .adding(flag: .audible, if: record?.isAudible == true && record?.state == .running)
      .adding(.level, record?.level).adding(.queuedSeconds, seconds)
      .adding(.starved, record.flatMap { $0.starved > 0 ? $0.starved : nil })
      .adding(.device, device).adding(.output, missingDevice)
  }
}

extension AudioSessions {
  /// The usual device first, then those of the sessions.
  func deviceItems(_ board: AudioBoard) -> [Message] {
    let usual = board.device
    var names = [usual.name.isEmpty ? DeviceName.usualHere : usual.name]
    var items = [
      Message(item: .device).adding(.state, word: usual.state).adding(
        .device, usual.name.isEmpty ? nil : usual.name)
    ]
    for session in all where !names.contains(session.device) {
      names.append(session.device)
      let state = board.record(of: session.id.number)?.device ?? .closed
      items.append(Message(item: .device).adding(.state, word: state).adding(.device, session.device))
    }
    return items
  }
}
