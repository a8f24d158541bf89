import Lull

/// The player on D-Bus, where desktops and `playerctl` find it. The bus connection is held as a line, so that a call wakes
/// the sleeping player.
final class Mpris {
  private static let name = "org.mpris.MediaPlayer2.lull"
  private static let path = "/org/mpris/MediaPlayer2"

  /// Called before a call is answered: what was answered must survive a kill.
  var beforeAnswer: () -> Void = {}
  /// Called after each round of calls.
  var onRequest: () -> Void = {}
  /// Somebody wants the player to end.
  var onQuit: () -> Void = {}
  /// The bus has ended.
  var onLost: () -> Void = {}
  private let bus: Bus
  private let properties: MprisProperties
  private var line: Line?

  /// Connects to the session bus.
  init(_ application: Application, _ player: QueuePlayer) throws(BusError) {
    bus = try Bus(name: Self.name, path: Self.path)
    properties = MprisProperties(player: player)
    let object = MprisObject(player: player) { [weak self] in self?.onQuit() }
    try bus.serve { [weak self] call throws(Bus.Refusal) in
      defer { self?.beforeAnswer() }
      return try object.answer(call)
    }
    do throws(LullError) {
      line = try application.hold(bus.descriptor, as: .accessory) { [weak self] in self?.process() }
    } catch {
      throw BusError("\(error)")
    }
    // What came while the name was asked for has been read from the socket, and would make nothing readable.
    _ = bus.process()
  }

  /// Tells the listeners what changed.
  func announce(_ changes: [QueuePlayer.Change]) {
    guard line != nil else { return }
    var names: [String] = []
    for name in changes.flatMap(properties.affected) where !names.contains(name) { names.append(name) }
    if !names.isEmpty {
      bus.emit(
        "org.freedesktop.DBus.Properties", "PropertiesChanged",
        [
          .string(MprisProperties.playerInterface), .dictionary(properties.values(names)), .strings([]),
        ])
    }
    if changes.contains(.position) {
      bus.emit(MprisProperties.playerInterface, "Seeked", [.int64(properties.position)])
    }
  }

  private func process() {
    if bus.process() { return onRequest() }
    line?.release()
    line = nil
    onLost()
    onRequest()
  }
}
