import LullBus

/// Answers the calls to `/org/mpris/MediaPlayer2`.
struct RemoteObject {
  let remote: RemoteControl

  private var properties: Properties { remote.properties }

  func answer(_ call: BusMessage) throws(Bus.Refusal) -> [BusValue] {
    switch (call.interface, call.member) {
    case (Properties.rootInterface, "Raise"): try ask(.raise, where: remote.identity.canRaise)
    case (Properties.rootInterface, "Quit"): try ask(.quit, where: remote.identity.canQuit)
    case (Properties.playerInterface, let member?): try control(member, call)
    case (Properties.interface, let member?): return try access(member, call)
    case ("org.freedesktop.DBus.Introspectable", "Introspect"): return [.string(Introspection.text)]
    default: throw unknown("no such method")
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
    case "SetPosition": try setPosition(call)
    case "OpenUri": try ask(.open(url: call.readString() ?? ""))
    default: throw unknown("no such method: \(member)")
    }
  }

  /// Asks the program; an impossible request is not an error, as the specification says.
  private func ask(_ command: RemoteCommand, where possible: Bool = true) throws(Bus.Refusal) {
    guard possible else { return }
    do throws(RemoteRefusal) {
      try remote.handler(command)
    } catch {
      throw Bus.Refusal(name: "org.freedesktop.DBus.Error.Failed", message: error.reason)
    }
  }

  /// Goes to a position; a position of another track, or beyond the end, is ignored, as the specification
  /// says.
  private func setPosition(_ call: BusMessage) throws(Bus.Refusal) {
    guard call.readString("o") == properties.trackPath, let position = call.readInt64(), position >= 0 else {
      return
    }
    let seconds = Double(position) / 1e6
    if let duration = remote.nowPlaying.track?.duration, seconds > duration { return }
    try ask(.seek(seconds))
  }
}

// org.freedesktop.DBus.Properties.
extension RemoteObject {
  private func access(_ member: String, _ call: BusMessage) throws(Bus.Refusal) -> [BusValue] {
    let interface = call.readString() ?? ""
    switch member {
    case "GetAll":
      guard let all = properties.all(interface) else { throw unknown("no interface \(interface)") }
      return [.dictionary(all)]
    case "Get":
      let name = call.readString() ?? ""
      guard let value = properties.value(interface, name) else { throw unknownProperty(name) }
      return [.variant(value)]
    case "Set":
      let name = call.readString() ?? ""
      guard properties.value(interface, name) != nil else { throw unknownProperty(name) }
      try set(name, call.readVariant())
      return []
    default: throw unknown("no such method: \(member)")
    }
  }

  private func set(_ name: String, _ value: BusValue?) throws(Bus.Refusal) {
    switch (name, value) {
    case ("Volume", .double(let volume)?) where volume.isFinite:
      try ask(.setVolume(min(1, max(0, volume))), where: remote.nowPlaying.volume != nil)
    case ("LoopStatus", .string(let word)?):
      guard let mode = NowPlaying.RepeatMode(rawValue: word) else {
        throw invalid("\(word): None, Track or Playlist")
      }
      try ask(.setRepeatMode(mode))
    case ("Shuffle", .bool(let flag)?): try ask(.setShuffle(flag))
    case ("Volume", _), ("LoopStatus", _), ("Shuffle", _): throw invalid("\(name): a value of another type")
    // Setting the rate is ignored: only the current rate is possible.
    case ("Rate", .double?): return
    default:
      throw Bus.Refusal(
        name: "org.freedesktop.DBus.Error.PropertyReadOnly", message: "\(name) cannot be set")
    }
  }

  private func unknown(_ text: String) -> Bus.Refusal {
    Bus.Refusal(name: "org.freedesktop.DBus.Error.UnknownMethod", message: text)
  }

  private func unknownProperty(_ name: String) -> Bus.Refusal {
    Bus.Refusal(name: "org.freedesktop.DBus.Error.UnknownProperty", message: "no property \(name)")
  }

  private func invalid(_ text: String) -> Bus.Refusal {
    Bus.Refusal(name: "org.freedesktop.DBus.Error.InvalidArgs", message: text)
  }
}
