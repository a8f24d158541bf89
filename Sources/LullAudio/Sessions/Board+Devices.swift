internal import LullSystem

extension Board {
  /// Shows the state of each session's device, in the order in which the sessions are shown.
  package func show(devices: [BoardDevice]) {
    let room = memory.count / Self.recordBytes - 1
    for (record, device) in devices.prefix(room).enumerated() {
      store(device.number, at: (record + 1) * Self.recordBytes + 40)
    }
  }
}

extension BoardDevice {
  fileprivate var number: UInt32 {
    switch self {
    case .closed: 0
    case .open: 1
    case .none: 2
    }
  }
}
