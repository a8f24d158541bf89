/// Answers the calls to `/org/mpris/MediaPlayer2`.
struct MprisObject {
  let player: QueuePlayer
  let onQuit: () -> Void

  private var properties: MprisProperties { MprisProperties(player: player) }

  func answer(_ call: BusMessage) throws(Bus.Refusal) -> [BusValue] {
    switch (call.interface, call.member) {
    case (MprisProperties.rootInterface, "Raise"): return []
    case (MprisProperties.rootInterface, "Quit"):
      onQuit()
      return []
    case (MprisProperties.playerInterface, let member?):
      do throws(QueuePlayer.Refusal) {
        try control(member, call)
        return []
      } catch {
        throw Bus.Refusal(name: "org.freedesktop.DBus.Error.Failed", message: error.reason)
      }
    case ("org.freedesktop.DBus.Properties", let member?): return try access(member, call)
    case ("org.freedesktop.DBus.Introspectable", "Introspect"): return [.string(MprisIntrospection.text)]
    default: throw unknown("no such method")
    }
  }

  private func control(_ member: String, _ call: BusMessage) throws(QueuePlayer.Refusal) {
    switch member {
    case "Next": player.next()
    case "Previous": player.previous()
    case "Play": try player.play()
    case "Pause": player.pause()
    case "PlayPause": try player.togglePlayPause()
    case "Stop": player.stop()
    case "Seek": if let offset = call.readInt64() { try player.seek(by: Double(offset) / 1e6) }
    case "SetPosition": try setPosition(call)
    case "OpenUri": try open(call)
    default: throw QueuePlayer.Refusal(reason: "no such method: \(member)")
    }
  }

  /// A position of another track than the current one, or beyond its end, is ignored, as the specification has it.
  private func setPosition(_ call: BusMessage) throws(QueuePlayer.Refusal) {
    guard call.readString("o") == properties.trackPath, let position = call.readInt64(), position >= 0 else {
      return
    }
    let seconds = Double(position) / 1e6
    if let duration = player.currentItem?.duration, seconds > duration { return }
    try player.seek(to: seconds)
  }

  private func open(_ call: BusMessage) throws(QueuePlayer.Refusal) {
    let url = call.readString() ?? ""
    guard let path = FileURL.path(url) else {
      throw QueuePlayer.Refusal(reason: "\(url): only file: URLs can be played")
    }
    let item: PlayerItem
    do throws(DecodeError) {
      item = try player.add(path: path)
    } catch {
      throw QueuePlayer.Refusal(reason: "\(path): \(error)")
    }
    try player.play(item.id)
  }
}

// org.freedesktop.DBus.Properties.
extension MprisObject {
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
      player.setVolume(Int((min(1, max(0, volume)) * 100).rounded()))
    case ("LoopStatus", .string(let word)?):
      guard let mode = RepeatMode(loopStatus: word) else { throw invalid("\(word): None, Track or Playlist") }
      player.setRepeatMode(mode)
    case ("Volume", _), ("LoopStatus", _): throw invalid("\(name): a value of another type")
    // The only rate is 1.
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
