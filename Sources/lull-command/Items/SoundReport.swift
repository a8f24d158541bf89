import LullWire

struct SoundReport: Encodable, Equatable {
  struct Place: Encodable, Equatable {
    let program: String
    let session: SessionItem
  }

  /// The devices, the default one first.
  var devices: [DeviceItem]
  var sessions: [Place] = []

  init(_ items: [Message]) throws(WireError) {
    devices = try items.records(DeviceItem.self)
    sessions = try items.records(SessionItem.self).map { Place(program: $0.program, session: $0) }
  }
}
