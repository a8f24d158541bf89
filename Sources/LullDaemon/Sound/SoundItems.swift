import LullWire

extension AudioSession {
  func item(_ program: String, _ record: AudioBoard.Record?) -> Message {
    let queued = record.map { Double($0.queuedFrames) / Double(fields.rate) }
    let seconds = queued.map { ($0 * 1000).rounded() / 1000 }
    return SessionItem {
      ($0.program, $0.id) = (program, UInt64(id.number))
      ($0.category, $0.direction) = (fields.category.rawValue, fields.direction.rawValue)
      ($0.rate, $0.channels, $0.format) = (Int64(fields.rate), Int64(fields.channels), fields.format.rawValue)
      ($0.state, $0.order, $0.mixes) = ((record?.state ?? .idle).rawValue, order.rawValue, fields.mix)
      $0.isAudible = record?.isAudible == true && record?.state == .running
      ($0.level, $0.queuedSeconds) = (record?.level, seconds)
      $0.starved = record.map { Int64($0.starved) } ?? 0
      ($0.device, $0.wantedDevice) = (device, missingDevice)
    }
    .message
  }
}

extension AudioSessions {
  /// The usual device first, then those of the sessions.
  func deviceItems(_ board: AudioBoard) -> [Message] {
    let usual = board.device
    var names = [usual.name.isEmpty ? DeviceName.usualHere : usual.name]
    var items = [Self.item(usual.state, usual.name.isEmpty ? nil : usual.name)]
    for session in all where !names.contains(session.device) {
      names.append(session.device)
      let state = board.record(of: session.id.number)?.device ?? .closed
      items.append(Self.item(state, session.device))
    }
    return items
  }

  private static func item(_ state: Vocabulary.DeviceState, _ name: String?) -> Message {
    DeviceItem { ($0.state, $0.name) = (state.rawValue, name) }.message
  }
}
