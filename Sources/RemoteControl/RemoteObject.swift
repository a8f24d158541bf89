import LullBus

/// Answers the calls to `/org/mpris/MediaPlayer2`.
struct RemoteObject {
  let properties: Properties
  let handler: RemoteControl.Handler

  func answer(_ call: BusMessage) throws(Bus.Refusal) -> [BusValue] {
    switch (call.interface, call.member) {
    case (Properties.rootInterface, "Raise"): try ask(.raise, where: properties.identity.canRaise)
    case (Properties.rootInterface, "Quit"): try ask(.quit, where: properties.identity.canQuit)
    case (Properties.playerInterface, let member?): try control(member, call)
    case (Properties.interface, let member?): return try access(member, call)
    case ("org.freedesktop.DBus.Introspectable", "Introspect"): return [.string(properties.introspection)]
    default: throw Self.refusal("UnknownMethod", "no such method")
    }
    return []
  }

  private func control(_ member: String, _ call: BusMessage) throws(Bus.Refusal) {
    switch member {
    case "Next": try ask(.next)
    case "Previous": try ask(.previous)
    case "Play": try ask(.play)
    case "Pause": try ask(.pause)
    case "PlayPause": try ask(.toggle)
    case "Stop": try ask(.stop)
    case "Seek": if let offset = call.readInt64() { try ask(.skip(Double(offset) / 1e6)) }
    case "SetPosition":
      // A position of another track, or beyond the end, is ignored, as the specification says.
      guard call.readString("o") == properties.trackPath, let position = call.readInt64(), position >= 0
      else { return }
      let seconds = Double(position) / 1e6
      try ask(.seek(seconds), where: properties.now.track?.duration.map { seconds <= $0 } ?? true)
    case "OpenUri": try ask(.open(url: call.readString() ?? ""))
    default: throw Self.refusal("UnknownMethod", "no such method: \(member)")
    }
  }

  /// Asks the program; an impossible request is not an error, as the specification says.
  private func ask(_ command: RemoteCommand, where possible: Bool = true) throws(Bus.Refusal) {
    guard possible else { return }
    do throws(RemoteRefusal) { try handler(command) } catch { throw Self.refusal("Failed", error.reason) }
  }

  /// A method of org.freedesktop.DBus.Properties.
  private func access(_ member: String, _ call: BusMessage) throws(Bus.Refusal) -> [BusValue] {
    let interface = call.readString() ?? ""
    if member == "GetAll" {
      if let all = properties.all(interface) { return [.dictionary(all)] }
      throw Self.refusal("UnknownMethod", "no interface \(interface)")
    }
    guard member == "Get" || member == "Set" else {
      throw Self.refusal("UnknownMethod", "no such method: \(member)")
    }
    let name = call.readString() ?? ""
    guard let value = properties.value(interface, name) else {
      throw Self.refusal("UnknownProperty", "no property \(name)")
    }
    if member == "Get" { return [.variant(value)] }
    try set(name, call.readVariant())
    return []
  }

  private func set(_ name: String, _ value: BusValue?) throws(Bus.Refusal) {
    switch (name, value) {
    case ("Volume", .double(let volume)?) where volume.isFinite:
      try ask(.setVolume(min(1, max(0, volume))), where: properties.now.volume != nil)
    case ("LoopStatus", .string(let word)?):
      guard let mode = NowPlaying.RepeatMode(rawValue: word) else {
        throw Self.refusal("InvalidArgs", "\(word): None, Track or Playlist")
      }
      try ask(.setRepeatMode(mode))
    case ("Shuffle", .bool(let flag)?): try ask(.setShuffle(flag))
    case ("Volume", _), ("LoopStatus", _), ("Shuffle", _):
      throw Self.refusal("InvalidArgs", "\(name): a value of another type")
    // Setting the rate is ignored: only the current rate is possible.
    case ("Rate", .double?): return
    default: throw Self.refusal("PropertyReadOnly", "\(name) cannot be set")
    }
  }

  private static func refusal(_ name: String, _ text: String) -> Bus.Refusal {
    Bus.Refusal(name: "org.freedesktop.DBus.Error.\(name)", message: text)
  }
}
