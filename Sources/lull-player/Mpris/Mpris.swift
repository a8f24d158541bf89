import Lull

/// The player on D-Bus, where desktops and `playerctl` find it. The bus connection is held as a line, so that a call wakes
/// the sleeping player.
final class Mpris {
  private static let name = "org.mpris.MediaPlayer2.lull"
  private static let path = "/org/mpris/MediaPlayer2"

  private let bus: Bus
  private let properties: MprisProperties
  private let onRequest: () -> Void
  private var line: Line?

  /// Connects to the session bus; `onRequest` is called after each round of calls.
  init(
    _ application: Application, _ player: QueuePlayer, onRequest: @escaping () -> Void,
    onQuit: @escaping () -> Void
  ) throws(BusError) {
    bus = try Bus(name: Self.name, path: Self.path)
    properties = MprisProperties(player: player)
    self.onRequest = onRequest
    let object = MprisObject(player: player, onQuit: onQuit)
    try bus.serve { call throws(Bus.Refusal) in try object.answer(call) }
    do throws(LullError) {
      line = try application.hold(bus.descriptor, as: .accessory) { [weak self] in self?.process() }
    } catch {
      throw BusError("\(error)")
    }
    process()
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
    if !bus.process() {
      line?.release()
      line = nil
    }
    onRequest()
  }
}
