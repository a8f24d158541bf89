import LullWire

/// Where the sound goes: what `lull sound` shows.
struct SoundReport: Encodable, Equatable {
  /// A session and its program.
  struct Place: Encodable, Equatable {
    let program: String
    let session: SessionReport
  }

  /// The usual one first.
  var devices: [DeviceReport]
  var sessions: [Place] = []

  init(_ items: [Message]) throws(WireError) {
    devices = try items.read(.device, DeviceReport.init)
    for item in items where item.itemKind == .session {
      sessions.append(Place(program: try item.string(.program), session: try SessionReport(item)))
    }
  }
}
