internal import LullRing
package import LullSystem

package enum ShownDevice: Equatable, Sendable {
  /// No device is open, and none is needed.
  case closed
  case open(String)
  /// The device cannot be opened.
  case none

  fileprivate var number: UInt32 {
    switch self {
    case .closed: 0
    case .open: 1
    case .none: 2
    }
  }
}

/// The page that lulld reads for `status`: a header of 64 bytes and a record of 64 bytes for each session.
///
/// The header: `uint64 version=1`, `uint32 sessions`, `uint32` state of the usual device (0 closed, 1 open, 2
/// none), 48 bytes of its name. A record: `uint64 session`, `int32 level` (hundredths of a dB of LB;
/// INT32_MIN for silence), `uint32 state` (as in the ring), `uint64 moved`, `uint64 queued` (frames), `uint32
/// audible` (the session plays, and its program is heard), `uint32 starved`, `uint32` state of its device, 20
/// bytes unused.
@safe package final class StatusPage {
  private static let recordBytes = 64
  private let memory: SharedMemory
  private var name: String?
  private var room: Int { memory.count / Self.recordBytes - 1 }

  package init(_ memory: SharedMemory) {
    self.memory = memory
    store(UInt64(1), at: 0)
  }

  private func store<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
    unsafe memory.base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
  }

  package func show(_ device: ShownDevice, players: [PlaySession], recorders: [CaptureSession]) {
    showDevice(device)
    var count = 0
    for session in players where count < room {
      count += 1
      write(session, at: count * Self.recordBytes)
    }
    for session in recorders where count < room {
      count += 1
      write(session, at: count * Self.recordBytes)
    }
    store(UInt32(count), at: 8)
  }

  /// Shows the state of each session's device, in the order in which the sessions are shown.
  package func show(devices: [ShownDevice]) {
    for (record, device) in devices.prefix(room).enumerated() {
      store(device.number, at: (record + 1) * Self.recordBytes + 40)
    }
  }

  private func showDevice(_ device: ShownDevice) {
    let name = if case .open(let name) = device { name } else { "" }
    store(device.number, at: 12)
    guard name != self.name else { return }
    self.name = name
    let bytes = Array(name.utf8.prefix(47))
    for index in 0..<48 { store(index < bytes.count ? bytes[index] : 0, at: 16 + index) }
  }

  private func write(_ session: RingSession, at start: Int) {
    store(session.request.id, at: start)
    store(session.level ?? .min, at: start + 8)
    store(session.state.ringNumber, at: start + 12)
    store(session.moved, at: start + 16)
    store(session.queued, at: start + 24)
    store(UInt32(session.isAudible ? 1 : 0), at: start + 32)
    store(session.starvedCount, at: start + 36)
  }
}
