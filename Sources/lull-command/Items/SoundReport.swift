import LullWire

struct SoundReport: Encodable, Equatable {
  struct Place: Encodable, Equatable {
    let program: String
    let session: SessionReport
  }

  /// The devices, the default one first.
  var devices: [DeviceReport]
  var sessions: [Place] = []

  init(_ items: [Message]) throws(WireError) {
    devices = try items.read(.device, DeviceReport.init)
    for item in items where item.itemKind == .session {
      sessions.append(Place(program: try item.string(.program), session: try SessionReport(item)))
    }
  }
}
